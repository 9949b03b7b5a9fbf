// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Stage "group": finds equal exact hashes and equal band keys. A key shared by m documents makes
// one group with m members, never pairs, so hot keys cost no more than others.

#include <cstdint>
#include <vector>

#include "lib/dedup/sign.h"

namespace longhaul::dedup {

/// One bit for each id.
class IdSet {
 public:
    explicit IdSet(uint64_t num_ids) : words_((num_ids + 63) / 64) {}
    void insert(uint64_t id) { words_[id / 64] |= uint64_t{1} << id % 64; }
    bool contains(uint64_t id) const { return (words_[id / 64] >> id % 64 & 1) != 0; }
    uint64_t bytes() const { return words_.size() * sizeof(uint64_t); }

 private:
    std::vector<uint64_t> words_;
};

/// Every later document of an exact group, with the first one; and bad records. Finished.
struct ExactGroups {
    ExternalSorter<Fate> fates;
    IdSet copies;      // the later documents
    IdSet has_copies;  // the first ones
    uint64_t num_copies = 0;
};

/// Consumes signed.exact and signed.bad_ids.
ExactGroups group_exact(Signed& signed_documents, uint64_t num_ids, const MemoryPlan& memory,
                        SpillArea& area);

/// Groups of documents that share a band key. Finished; in the order of ids.
struct BandGroups {
    ExternalSorter<Membership> memberships;
    uint64_t num_groups = 0;
    uint64_t largest_group = 0;
    uint64_t num_hot_groups = 0;  // above kHotGroup members
    static constexpr uint64_t kHotGroup = 10000;
};

/// Connected components of the candidates, for --transitive: 8 bytes a line.
class Components {
 public:
    explicit Components(uint64_t num_ids);
    void join(uint64_t a, uint64_t b);
    /// The least id of the component.
    uint64_t root(uint64_t id);

 private:
    std::vector<uint64_t> parents_;
};

/// Consumes signed.bands; exact copies are left out (they follow their first document).
/// @param components receives every group, when not null
BandGroups group_bands(Signed& signed_documents, const IdSet& copies, const MemoryPlan& memory,
                       SpillArea& area, Components* components);

}  // namespace longhaul::dedup
