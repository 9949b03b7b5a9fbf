// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which tokens of one data set are its sample 0, 1, 2, ...

#include <memory>
#include <vector>

#include "lib/shards/dataset.h"
#include "lib/shards/piece.h"
#include "lib/shards/sample_settings.h"

namespace longhaul::shards {

/// Tokens [first, first + count) of a stream.
struct TokenRange {
    uint64_t first = 0, count = 0;
};

/// Immutable; may be asked in parallel.
class SetSamples {
 public:
    virtual ~SetSamples() = default;
    /// Samples of one epoch. In Megatron's order: of all epochs.
    virtual uint64_t num_samples() const = 0;
    virtual uint64_t epoch(uint64_t sample) const = 0;
    /// Appends the pieces of a sample. Stream: seq_len + 1 tokens in all; packed: at most seq_len.
    virtual void append_pieces(uint64_t sample, std::vector<Piece>& out) const = 0;
    /// What the window of blocks that shows `sample` reads; empty for orders without blocks.
    virtual std::vector<TokenRange> window_tokens(uint64_t sample) const = 0;
    /// Equal for two samples of one window of blocks.
    virtual uint64_t window(uint64_t sample) const = 0;
};

/// @param seed of the data phase. @param num_samples for Megatron's order: how many of this set are
/// asked for. @throws UsageError when the set has less than one sample.
std::unique_ptr<SetSamples> make_set_samples(const Dataset& set, uint64_t seq_len, uint64_t seed,
                                             const SampleSettings& settings, uint64_t num_samples);

}  // namespace longhaul::shards
