// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/old_blend.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lib/base/check.h"
#include "lib/base/error.h"

namespace longhaul::shards {

namespace {

__extension__ using Wide = unsigned __int128;

/// Shares are integers over this unit, so that no rounding depends on the machine.
constexpr uint64_t kShareUnit = uint64_t{1} << 32;

/// floor(share * slots / unit).
uint64_t share_of(uint64_t share, uint64_t slots) {
    return static_cast<uint64_t>(static_cast<Wide>(share) * slots / kShareUnit);
}

/// A sample of a block: its place in time is numerator / (2 count).
struct Slot {
    uint64_t numerator, count;
    size_t set;
    uint64_t own;
    bool operator<(const Slot& other) const {
        const uint64_t left = numerator * other.count, right = other.numerator * count;
        return left != right ? left < right : set < other.set;
    }
};

/// The smallest block in which every set gets a sample or more on average: then no count in a block
/// is negative, since the floors are off by less than one each.
uint64_t block_for(std::span<const uint64_t> shares) {
    constexpr uint64_t kMaxBlock = 65536;
    const uint64_t smallest = *std::min_element(shares.begin(), shares.end());
    uint64_t block = 1;
    while (block <= kMaxBlock && smallest * block < kShareUnit) block *= 2;
    if (block > kMaxBlock) {
        throw UsageError(format("a data set's share is below 1 in {} samples", kMaxBlock));
    }
    return block;
}

}  // namespace

OldBlend::OldBlend(std::span<const double> weights) : cumulative_{0} {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    double sum = 0;
    for (const double weight : weights) {
        sum += weight;
        cumulative_.push_back(
            static_cast<uint64_t>(std::llround(sum / total * static_cast<double>(kShareUnit))));
    }
    cumulative_.back() = kShareUnit;
    for (size_t set = 0; set < weights.size(); ++set) {
        shares_.push_back(cumulative_[set + 1] - cumulative_[set]);
    }
    block_ = block_for(shares_);
}

BlendPlace OldBlend::locate(uint64_t sample) const {
    // Set k has given C_k(t) = floor(W_k+1 t) - floor(W_k t) samples after t slots. Inside a block
    // its i-th of n samples belongs at time (2 i + 1) / (2 n), which spreads all sets evenly.
    const uint64_t block_begin = sample / block_ * block_;
    const auto given = [&](size_t set, uint64_t slots) {
        return share_of(cumulative_[set + 1], slots) - share_of(cumulative_[set], slots);
    };
    std::vector<Slot> slots;
    slots.reserve(block_);
    for (size_t set = 0; set < shares_.size(); ++set) {
        const uint64_t before = given(set, block_begin);
        const uint64_t count = given(set, block_begin + block_) - before;
        for (uint64_t i = 0; i < count; ++i) slots.push_back({2 * i + 1, count, set, before + i});
    }
    LH_CHECK(slots.size() == block_, "{} samples in a block of {}", slots.size(), block_);
    const auto chosen = slots.begin() + static_cast<ptrdiff_t>(sample - block_begin);
    std::nth_element(slots.begin(), chosen, slots.end());
    return {chosen->set, chosen->own};
}

}  // namespace longhaul::shards
