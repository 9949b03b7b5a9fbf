// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The order of training samples: a pure function of (seed, epoch, data set), with random access and
// no state, so that any rank can compute any position at any world size.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lib/base/hash.h"
#include "lib/shards/sample_settings.h"

namespace longhaul::shards {

/// A pseudo-random bijection of [0, size): a Feistel network on the next even power of two, walked
/// until it lands inside (fewer than 4 steps on average). Round keys come from Philox.
/// Source: Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002.
class Permutation {
 public:
    /// @param size number of elements, at least 1. @param stream tells apart epochs and data sets.
    Permutation(uint64_t size, uint64_t seed, uint64_t stream);
    /// Position `i` of the shuffled sequence; i < size.
    uint64_t operator()(uint64_t i) const;
    uint64_t size() const { return size_; }

 private:
    static constexpr int kRounds = 8;
    uint64_t encrypt(uint64_t value) const;

    uint64_t size_;
    unsigned half_bits_;
    uint64_t half_mask_;
    uint32_t keys_[kRounds][2];
};

/// Windows of a token stream: window w holds the tokens [w * seq_len, w * seq_len + seq_len]:
/// seq_len inputs and the target of the last one; a shorter tail is left out.
/// @return how many. @throws UsageError when there is less than one.
uint64_t num_windows(uint64_t num_tokens, uint64_t seq_len);

/// Items [first, first + count) of a set.
struct ItemRange {
    uint64_t first = 0, count = 0;
    bool operator==(const ItemRange&) const = default;
};

/// Which of the items of a set (windows, or packed samples) is sample 0, 1, 2, ...
/// Each epoch shows every item once in its own order: all shuffled, as stored, or by blocks.
///
/// By blocks: the items are cut into blocks of `order_block` neighbours, from a place that differs
/// by epoch; the blocks are shuffled, and then the items within each window of `order_window`
/// blocks. So a reader needs one window at a time, in stretches of a block, and neighbours on disk
/// are shown at most order_block * order_window samples apart.
class SampleOrder {
 public:
    /// @param num_items at least 1. @param data names the data set (DatasetInfo::manifest_hash), so
    ///        that two sets of one size are not shuffled alike. @param settings kMegatron has an
    ///        order of its own (megatron_order.h).
    SampleOrder(uint64_t num_items, uint64_t seed, Hash128 data,
                const SampleSettings& settings = {});

    uint64_t num_items() const { return num_items_; }
    uint64_t epoch(uint64_t sample) const { return sample / num_items_; }
    /// The item that sample number `sample` (any size, over epochs) shows.
    uint64_t item(uint64_t sample) const;

    /// Samples of one window of blocks; all of the epoch for the other orders.
    uint64_t window_samples() const { return std::min(num_items_, block_ * blocks_of_window_); }
    /// All items shown in the window of blocks that holds `sample`, in stretches; empty for the
    /// other orders.
    std::vector<ItemRange> window_items(uint64_t sample) const;

 private:
    /// The blocks of one epoch.
    struct Epoch {
        uint64_t stream, rotation;
    };
    Epoch block_epoch(uint64_t epoch) const;
    uint64_t block_item(uint64_t epoch, uint64_t i) const;
    uint64_t block_at(const Epoch& epoch, uint64_t slot) const;

    uint64_t num_items_, seed_, stream_;
    OrderKind kind_;
    uint64_t block_, blocks_of_window_;
};

}  // namespace longhaul::shards
