// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/group.h"

#include <numeric>

namespace longhaul::dedup {

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

BandGroups group_bands(std::vector<ExternalSorter<BandRecord>>& bands, const IdSet& copies,
                       uint64_t sort_bytes, SpillArea& area, Components* components) {
    BandGroups groups{ExternalSorter<Membership>(area, sort_bytes / 4), {}};
    BandGrouper grouper(groups.counts, [&](const Membership& membership, uint64_t first) {
        groups.memberships.add(membership);
        if (components != nullptr) components->join(first, membership.id.value());
    });
    for (ExternalSorter<BandRecord>& band : bands) {
        band.finish();
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
