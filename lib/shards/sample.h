// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The pieces of a sample made into what a model takes: inputs, targets, document boundaries.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lib/shards/dataset.h"
#include "lib/shards/piece.h"
#include "lib/shards/sample_settings.h"

namespace longhaul::shards {

/// The value of a target that does not count (PyTorch's ignore_index).
inline constexpr int32_t kNoTarget = -100;

/// Where a sample goes, all of seq_len elements.
struct SampleBuffers {
    std::span<int32_t> tokens;
    std::span<int32_t> targets;          // targets[i] follows tokens[i]; kNoTarget: does not count
    std::span<int32_t> document_begins;  // position at which the token's document begins; may be
                                         // empty: not wanted
};

/// Turns pieces into samples. Immutable; may be used in parallel.
class SampleMaker {
 public:
    SampleMaker(uint64_t seq_len, const SampleSettings& settings);

    /// Stream: the pieces hold seq_len + 1 tokens, the targets are the inputs one further. Packed:
    /// a piece's last target counts only where its document goes on; the room behind the last piece
    /// is padding: the last EOS id (0 without one) as a document of its own without targets, told
    /// by its place, so that real EOS tokens count.
    void make(const Dataset& set, std::span<const Piece> pieces, const SampleBuffers& out) const;

 private:
    /// Positions at which documents begin, ascending, without position 0; seq_len is the last
    /// target.
    using Starts = std::vector<uint32_t>;
    void make_stream(const Dataset& set, std::span<const Piece> pieces, const SampleBuffers& out,
                     Starts& starts) const;
    void make_packed(const Dataset& set, std::span<const Piece> pieces, const SampleBuffers& out,
                     Starts& starts) const;
    void mask_outside_spans(const Dataset& set, std::span<const Piece> pieces,
                            const SampleBuffers& out, const Starts& starts) const;
    bool is_in_span(const Dataset& set, uint64_t token) const;

    uint64_t seq_len_;
    SampleSettings settings_;
};

/// Offsets of the documents of a sample and its end, for variable-length attention.
std::vector<int32_t> cu_seqlens(std::span<const int32_t> document_begins);

}  // namespace longhaul::shards
