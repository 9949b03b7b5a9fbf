// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/rule_order.h"

#include <algorithm>
#include <utility>

namespace longhaul::dedup {

namespace {

template <class Record>
std::optional<Record> take(ExternalSorter<Record>& sorter) {
    Record record;
    return sorter.next(record) ? std::optional<Record>(record) : std::nullopt;
}

}  // namespace

RuleOrder::RuleOrder(const MemoryPlan& memory, SpillArea& area, uint64_t num_groups,
                     ReadSet read_set)
    : read_set_(std::move(read_set)),
      window_shingles_(memory.store_bytes / 8 / sizeof(uint64_t)),
      candidates_(area, memory.sort_bytes / 4),
      memberships_(area, memory.sort_bytes / 4),
      num_left_(num_groups) {}

void RuleOrder::add(const OrderKey& order, const SetRow& set, std::span<const Packed48> groups) {
    candidates_.add({order, set});
    for (const Packed48 group : groups) {
        memberships_.add({order, Packed48(set.id), group});
        ++num_left_[group.value() >> 1];
    }
}

void RuleOrder::finish() {
    candidates_.finish();
    memberships_.finish();
    next_candidate_ = take(candidates_);
    next_membership_ = take(memberships_);
}

/// Sets that follow each other in this order lie anywhere: a number of them is read in the order in
/// which they lie.
void RuleOrder::load_window() {
    constexpr size_t kMostSets = 4096;
    window_.clear();
    window_at_ = 0;
    uint64_t num_shingles = 0;
    while (next_candidate_ && window_.size() < kMostSets) {
        num_shingles += next_candidate_->set.count;
        if (!window_.empty() && num_shingles > window_shingles_) break;
        window_.push_back({*next_candidate_, {}});
        next_candidate_ = take(candidates_);
    }
    std::vector<Loaded*> by_place;
    for (Loaded& loaded : window_) by_place.push_back(&loaded);
    std::sort(by_place.begin(), by_place.end(), [](const Loaded* a, const Loaded* b) {
        return a->candidate.set.id < b->candidate.set.id;
    });
    for (Loaded* loaded : by_place) read_set_(loaded->candidate.set, loaded->shingles);
}

bool RuleOrder::next(Candidate& candidate) {
    if (window_at_ == window_.size()) load_window();
    if (window_.empty()) return false;
    candidate.id = window_[window_at_++].candidate.set.id;
    candidate.groups.clear();
    for (; next_membership_ && next_membership_->id.value() == candidate.id;
         next_membership_ = take(memberships_)) {
        const uint64_t group = next_membership_->group.value() >> 1;
        const bool is_last = --num_left_[group] == 0;
        candidate.groups.push_back(Packed48(group << 1 | (is_last ? 1 : 0)));
    }
    return true;
}

}  // namespace longhaul::dedup
