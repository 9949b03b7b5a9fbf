// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which set of a weighted blend gives sample 0, 1, 2, ...: a pure function with random access.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace longhaul::shards {

/// A set, and how many samples it gave before: the number of the sample in its own count.
struct BlendPlace {
    size_t set = 0;
    uint64_t own = 0;
};

/// Immutable; may be asked in parallel.
class BlendOrder {
 public:
    virtual ~BlendOrder() = default;
    virtual BlendPlace locate(uint64_t sample) const = 0;
    /// Shares as whole numbers; their sum is the unit. For version 2 the running error against
    /// them is below one sample for every set after any number of samples.
    virtual std::span<const uint64_t> shares() const = 0;
};

/// Whole numbers in proportion to the weights. Weights that are decimal fractions with few digits
/// are kept exactly (0.7, 0.3: 7 of 10, 3 of 10); others are rounded to `kMostSlots` parts by
/// largest remainders, so that a share is off by less than 2.4e-7.
/// @throws UsageError: a weight that is no positive number, or too small a share to be shown.
std::vector<uint64_t> shares_of(std::span<const double> weights);
inline constexpr uint64_t kMostSlots = uint64_t{1} << 22;

/// The order of a data phase. @param version see sample_settings.h: kExactBlend spreads by
/// deadlines and repeats after the sum of the shares; kOldBlend continues older runs.
std::unique_ptr<BlendOrder> make_blend_order(std::span<const double> weights, int64_t version);

/// BlendedDataset's order of `num_samples` samples: the set that is furthest behind its weight
/// comes next (floating point, first of equals). Asking beyond the end is an error.
/// Source: build_blending_indices in megatron/core/datasets/helpers.cpp.
/// @param weights normalised as Megatron does.
std::unique_ptr<BlendOrder> make_megatron_blend(std::span<const double> weights,
                                                uint64_t num_samples);

/// A list of sets by slot, with counts kept now and then: locate() in constant time.
class SetSequence {
 public:
    SetSequence(size_t num_sets, uint64_t num_slots);
    /// Appends the next slot. Before any locate().
    void push(size_t set);
    uint64_t size() const { return sets_.size(); }
    /// @param slot below size().
    BlendPlace locate(uint64_t slot) const;

 private:
    size_t num_sets_;
    uint64_t stride_;
    std::vector<uint16_t> sets_;
    std::vector<uint64_t> counts_;  // of all sets at slot 0, stride, 2 stride, ...
    std::vector<uint64_t> running_;
};

}  // namespace longhaul::shards
