// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Candidates in the order of a keep rule: the best first. Sorted outside of memory; their shingle
// sets are read where they lie.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "lib/dedup/external_sort.h"
#include "lib/dedup/options.h"
#include "lib/dedup/records.h"

namespace longhaul::dedup {

/// A candidate and where its set lies.
struct OrderedCandidate {
    OrderKey order;
    SetRow set;  // and its id
    bool operator<(const OrderedCandidate& other) const {
        return std::tie(order, set.id) < std::tie(other.order, other.set.id);
    }
};
struct OrderedMembership {
    OrderKey order;
    Packed48 id, group;
    bool operator<(const OrderedMembership& other) const {
        const uint64_t a = id.value(), b = other.id.value();
        if (order != other.order) return order < other.order;
        return a != b ? a < b : group.value() < other.group.value();
    }
};

/// add() all candidates, finish(), then next().
class RuleOrder {
 public:
    /// Fills in the shingles of a candidate.
    using ReadSet = std::function<void(const SetRow&, std::vector<uint64_t>&)>;
    RuleOrder(const MemoryPlan& memory, SpillArea& area, uint64_t num_groups, ReadSet read_set);

    void add(const OrderKey& order, const SetRow& set, std::span<const Packed48> groups);
    void finish();
    /// The next candidate; its groups' last members are marked by this order.
    bool next(Candidate& candidate);
    /// Its shingles; valid until the next call of next().
    std::span<const uint64_t> set() const { return window_[window_at_ - 1].shingles; }

 private:
    struct Loaded {
        OrderedCandidate candidate;
        std::vector<uint64_t> shingles;
    };
    void load_window();

    ReadSet read_set_;
    uint64_t window_shingles_;  // at most, or one set
    ExternalSorter<OrderedCandidate> candidates_;
    ExternalSorter<OrderedMembership> memberships_;
    std::optional<OrderedCandidate> next_candidate_;
    std::optional<OrderedMembership> next_membership_;
    std::vector<uint32_t> num_left_;  // members to come of each group
    std::vector<Loaded> window_;
    size_t window_at_ = 0;
};

}  // namespace longhaul::dedup
