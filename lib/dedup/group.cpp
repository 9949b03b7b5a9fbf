// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/group.h"

#include <algorithm>
#include <numeric>

namespace longhaul::dedup {

ExactGroups group_exact(Signed& signed_documents, uint64_t num_ids, const MemoryPlan& memory,
                        SpillArea& area) {
    ExactGroups groups{ExternalSorter<Fate>(area, memory.sort_bytes / 16), IdSet(num_ids),
                       IdSet(num_ids), 0};
    signed_documents.bad_ids.finish();
    for (Fate fate; signed_documents.bad_ids.next(fate);) groups.fates.add(fate);

    signed_documents.exact.finish();
    ExactRecord first;
    bool has_first = false;
    for (ExactRecord record; signed_documents.exact.next(record);) {
        if (!has_first || record.hash != first.hash) {
            first = record;
            has_first = true;
            continue;
        }
        groups.fates.add({record.id, first.id});
        groups.copies.insert(record.id);
        groups.has_copies.insert(first.id);
        ++groups.num_copies;
    }
    groups.fates.finish();
    signed_documents.exact = ExternalSorter<ExactRecord>(area, 0);  // its memory is free now
    return groups;
}

Components::Components(uint64_t num_ids) : parents_(num_ids) {
    std::iota(parents_.begin(), parents_.end(), uint64_t{0});
}

uint64_t Components::root(uint64_t id) {
    while (parents_[id] != id) id = parents_[id] = parents_[parents_[id]];  // path halving
    return id;
}

void Components::join(uint64_t a, uint64_t b) {
    const auto [low, high] = std::minmax({root(a), root(b)});
    parents_[high] = low;
}

namespace {

/// Streams one band's records into groups; only the first member of a run of equal keys is held
/// back, so that a run of any length needs no memory.
class BandGrouper {
 public:
    BandGrouper(BandGroups& groups, Components* components)
        : groups_(groups), components_(components) {}

    void add(const BandRecord& record) {
        if (size_ > 0 && record.key() == key_) {
            if (size_ == 1) ++groups_.num_groups;
            emit(false);
            if (components_ != nullptr) components_->join(first_, record.id.value());
            ++size_;
        } else {
            close();
            key_ = record.key();
            first_ = record.id.value();
            size_ = 1;
        }
        pending_ = record.id;
    }
    void close() {
        if (size_ > 1) {
            emit(true);
            groups_.largest_group = std::max(groups_.largest_group, size_);
            groups_.num_hot_groups += size_ > BandGroups::kHotGroup ? 1 : 0;
        }
        size_ = 0;
    }

 private:
    void emit(bool is_last) {
        const uint64_t group = groups_.num_groups - 1;
        groups_.memberships.add({pending_, Packed48(group << 1 | (is_last ? 1 : 0))});
    }

    BandGroups& groups_;
    Components* components_;
    uint64_t key_ = 0;
    uint64_t first_ = 0;
    uint64_t size_ = 0;  // members of the current run so far
    Packed48 pending_;   // the latest one, not yet emitted
};

}  // namespace

BandGroups group_bands(Signed& signed_documents, const IdSet& copies, const MemoryPlan& memory,
                       SpillArea& area, Components* components) {
    BandGroups groups{ExternalSorter<Membership>(area, memory.sort_bytes / 4)};
    for (ExternalSorter<BandRecord>& band : signed_documents.bands) {
        band.finish();
        BandGrouper grouper(groups, components);
        for (BandRecord record; band.next(record);) {
            if (!copies.contains(record.id.value())) grouper.add(record);
        }
        grouper.close();
        band = ExternalSorter<BandRecord>(area, 0);  // its memory and files are free now
    }
    groups.memberships.finish();
    return groups;
}

}  // namespace longhaul::dedup
