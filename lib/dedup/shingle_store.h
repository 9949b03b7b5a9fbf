// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Shingle sets of kept documents that later ones may have to be compared with. In memory up to a
// budget, beyond it in a temporary file.

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "lib/dedup/spill.h"

namespace longhaul::dedup {

class ShingleStore {
 public:
    ShingleStore(SpillArea& area, uint64_t memory_bytes)
        : area_(&area), memory_bytes_(memory_bytes) {}

    /// Keeps the set of document `id` until release() has been called `uses` times.
    void put(uint64_t id, std::span<const uint64_t> set, uint64_t uses);
    /// Number of shingles of a stored document.
    uint64_t size_of(uint64_t id) const { return entries_.at(id).size; }
    /// The set; valid until the next call of any method.
    std::span<const uint64_t> get(uint64_t id);
    void release(uint64_t id);
    /// Documents stored now.
    uint64_t count() const { return entries_.size(); }

 private:
    struct Entry {
        uint64_t size = 0;
        uint64_t uses = 0;
        uint64_t file_offset = 0;  // when not in memory
        std::vector<uint64_t> in_memory;
    };
    static constexpr uint64_t kEntryBytes = 120;  // of the map, about

    SpillArea* area_;
    uint64_t memory_bytes_;
    uint64_t used_bytes_ = 0;
    std::unordered_map<uint64_t, Entry> entries_;
    std::unique_ptr<SpillFile> file_;
    uint64_t num_in_file_ = 0;
    std::vector<uint64_t> buffer_;
};

}  // namespace longhaul::dedup
