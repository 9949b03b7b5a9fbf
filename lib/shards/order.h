// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The order of training samples: a pure function of (seed, epoch, data set), with random access and
// no state, so that any rank can compute any position at any world size.

#include <cstdint>

#include "lib/base/hash.h"

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

/// Which windows of a token stream are sample 0, 1, 2, ...: window w holds the tokens
/// [w * seq_len, w * seq_len + seq_len]: seq_len inputs and the target of the last one. The last
/// seq_len * num_windows + 1 tokens of the stream do; a shorter tail is left out.
/// Each epoch shows every window once in its own order.
class SampleOrder {
 public:
    /// @param data names the data set (DatasetInfo::manifest_hash), so that two sets of one size
    ///        are not shuffled alike. @throws UsageError when there is less than one window.
    SampleOrder(uint64_t num_tokens, uint64_t seq_len, uint64_t seed, Hash128 data);

    uint64_t num_windows() const { return num_windows_; }
    uint64_t epoch(uint64_t sample) const { return sample / num_windows_; }
    /// The window that sample number `sample` (any size, over epochs) shows.
    uint64_t window(uint64_t sample) const;
    /// First token of that window in the stream; read seq_len + 1 from there.
    uint64_t first_token(uint64_t sample) const { return window(sample) * seq_len_; }

 private:
    uint64_t num_windows_, seq_len_, seed_, stream_;
};

}  // namespace longhaul::shards
