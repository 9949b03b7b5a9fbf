// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/stages/membership_merge.h"

#include <algorithm>

#include "lib/io/json.h"

namespace longhaul::dedup {

MembershipMerge::MembershipMerge(const Work& work, const Documents& documents,
                                 uint64_t memory_bytes)
    : documents_(documents) {
    const uint64_t num_parts = work.num_units(Stage::kGroup);
    buffer_bytes_ =
        std::clamp<uint64_t>(memory_bytes / num_parts, uint64_t{1} << 12, uint64_t{1} << 20);
    for (uint64_t part = 0; part < num_parts; ++part) {
        parts_.push_back(work.read(Stage::kGroup, part));
        const std::string file = parts_.back().path().string();
        const io::Json meta = io::parse_json(parts_.back().read_text(kMetaSection), file);
        first_groups_.push_back(counts_.num_groups);
        num_groups_.push_back(io::require<uint64_t>(meta, "groups", file));
        counts_.num_groups += num_groups_.back();
        counts_.num_hot_groups += io::require<uint64_t>(meta, "hot_groups", file);
        counts_.largest_group =
            std::max(counts_.largest_group, io::require<uint64_t>(meta, "largest_group", file));
    }
}

void MembershipMerge::open_unit(uint64_t unit) {
    unit_ = unit;
    readers_.clear();
    for (const StageReader& part : parts_) {
        readers_.emplace_back(part, GroupSections::kMemberships + unit, buffer_bytes_);
    }
    for (size_t part = 0; part < readers_.size(); ++part) advance(part);
}

void MembershipMerge::advance(size_t part) {
    Membership membership;
    if (!readers_[part].next(membership)) return;
    const UnitSpan& unit = documents_.units[unit_];
    const uint64_t id = membership.id.value();
    const uint64_t group = membership.group.value();
    if (id < unit.first_id || id - unit.first_id >= unit.num_lines ||
        group >> 1 >= num_groups_[part]) {
        parts_[part].refuse(format("document {} in group {}", id, group >> 1));
    }
    membership.group = Packed48(group + 2 * first_groups_[part]);
    heads_.push({membership, part});
}

bool MembershipMerge::next(Candidate& candidate) {
    if (heads_.empty()) return false;
    candidate.id = heads_.top().membership.id.value();
    candidate.groups.clear();
    while (!heads_.empty() && heads_.top().membership.id.value() == candidate.id) {
        const size_t part = heads_.top().part;
        candidate.groups.push_back(heads_.top().membership.group);
        heads_.pop();
        advance(part);
    }
    return true;
}

}  // namespace longhaul::dedup
