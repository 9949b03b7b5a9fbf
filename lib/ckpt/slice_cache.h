// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Verified source slices kept in memory while neighbours need them, within a byte limit.

#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "lib/ckpt/load.h"

namespace longhaul::ckpt {

/// Least recently used slices go first. Thread-safe: a slice that one thread is reading is waited
/// for by the others. Slices in use by callers are not counted once they fall out.
class SliceCache {
 public:
    using Bytes = std::shared_ptr<const std::vector<std::byte>>;

    SliceCache(Checkpoint source, uint64_t capacity_bytes)
        : source_(std::move(source)), capacity_bytes_(capacity_bytes) {}

    /// @throws what Checkpoint::read_stored() throws.
    Bytes get(uint32_t slice_number);
    uint64_t bytes_read() const;

 private:
    using Buffer = std::shared_ptr<std::vector<std::byte>>;
    struct Entry {
        Buffer bytes;  // null while it is being read
        std::list<uint32_t>::iterator place;
    };
    Bytes load(uint32_t slice_number, std::unique_lock<std::mutex>& lock);
    /// Drops the oldest until `bytes` fit. @return the storage of one of them, or a new one: fresh
    /// pages cost as much as the copy into them.
    Buffer make_room(uint64_t bytes);

    Checkpoint source_;
    uint64_t capacity_bytes_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::map<uint32_t, Entry> entries_;
    std::list<uint32_t> order_;  // most recent first; only of finished entries
    uint64_t held_bytes_ = 0;
    uint64_t read_bytes_ = 0;
};

}  // namespace longhaul::ckpt
