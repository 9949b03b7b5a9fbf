// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Packing whole documents into samples: best fit, the longest first, within groups of neighbours.
// A pure function of the document lengths.
// Source: Ding et al., "Fewer truncations improve language modeling", ICML 2024, section 3.

#include <cstdint>
#include <span>
#include <vector>

#include "lib/shards/piece.h"

namespace longhaul::shards {

/// The samples of one epoch. Documents longer than a sample are cut into whole samples, and what is
/// left of them is packed like a short document; no shorter one is ever cut. A group of consecutive
/// documents (about kGroupSamples samples) is packed by itself, so that a sample's documents lie
/// close together. 12 bytes of memory a document and 8 a sample.
class BestFitPlan {
 public:
    static constexpr uint64_t kGroupSamples = 2048;

    /// @param offsets first token of each document, and the end of the last: ascending.
    /// @param capacity tokens of a sample, below 2^30. @throws UsageError when there are no tokens.
    BestFitPlan(std::span<const uint64_t> offsets, uint64_t capacity);

    uint64_t num_samples() const { return begins_.size() - 1; }
    uint64_t num_tokens() const { return num_tokens_; }
    /// Appends the pieces of a sample, in the order of their places; they fill at most `capacity`.
    void append_pieces(uint64_t sample, std::vector<Piece>& out) const;

 private:
    struct Item {
        uint64_t first_token;
        uint32_t length;
        bool is_rest;
    };
    void add_piece(uint64_t first_token, uint64_t count, uint32_t flags);
    void pack_group(std::vector<Item>& items);

    uint64_t capacity_, num_tokens_ = 0;
    std::vector<uint64_t> first_tokens_;
    std::vector<uint32_t> counts_;     // top bits: Piece::is_cut, is_rest
    std::vector<uint64_t> begins_{0};  // number of the first piece of each sample, and of the end
};

}  // namespace longhaul::shards
