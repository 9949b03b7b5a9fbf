// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The candidates of the stage files in the order of a keep rule.

#include <cstdint>
#include <span>
#include <vector>

#include "lib/dedup/rule_order.h"
#include "lib/dedup/stages/membership_merge.h"
#include "lib/dedup/stages/stage_units.h"

namespace longhaul::dedup {

class StagedOrder {
 public:
    /// Reads and sorts all candidates. @param merge is read to its end
    StagedOrder(const UnitContext& context, const Documents& documents, MembershipMerge& merge);

    bool next(Candidate& candidate) { return order_.next(candidate); }
    std::span<const uint64_t> set() const { return order_.set(); }

 private:
    void add_unit(const UnitContext& context, size_t unit, MembershipMerge& merge);
    void read_set(const SetRow& row, std::vector<uint64_t>& shingles) const;

    const Documents& documents_;
    std::vector<StageReader> shingle_files_;  // of each unit
    RuleOrder order_;
};

}  // namespace longhaul::dedup
