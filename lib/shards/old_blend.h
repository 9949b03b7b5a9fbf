// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The order of blended sets before blend_version 2: kept for runs that began with it. Shares are
// met within one sample at the end of each block of 1/(smallest share) samples, not inside.

#include <cstdint>
#include <span>
#include <vector>

#include "lib/shards/blend_order.h"

namespace longhaul::shards {

class OldBlend : public BlendOrder {
 public:
    /// @param weights positive numbers. @throws UsageError when a share is too small.
    explicit OldBlend(std::span<const double> weights);

    BlendPlace locate(uint64_t sample) const override;
    std::span<const uint64_t> shares() const override { return shares_; }

 private:
    uint64_t block_ = 1;
    std::vector<uint64_t> cumulative_;  // shares as integers over 2^32, cumulated
    std::vector<uint64_t> shares_;
};

}  // namespace longhaul::shards
