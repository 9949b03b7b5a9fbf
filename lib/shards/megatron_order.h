// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The sample order of Megatron-LM's GPTDataset, bit for bit, for runs that move over: documents
// shuffled over all epochs and laid end to end, cut into windows, the windows shuffled.
// Source: megatron/core/datasets/gpt_dataset.py (_build_document_sample_shuffle_indices),
// helpers.cpp (build_sample_idx), numpy's RandomState(seed).shuffle. Checked against the real code
// by tests/data/shards/make_megatron_order.py.

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "lib/shards/piece.h"

namespace longhaul::shards {

/// numpy's legacy RandomState(seed).shuffle: Fisher-Yates from the end, each index drawn by masking
/// and rejection. Source: numpy/random/mtrand.pyx (_shuffle_raw), distributions.c
/// (random_interval).
class NumpyShuffle {
 public:
    explicit NumpyShuffle(uint32_t seed) : engine_(seed) {}
    void operator()(std::span<uint32_t> values);

 private:
    uint64_t draw_up_to(uint64_t most);

    std::mt19937 engine_;
};

/// Megatron's normalize(): double precision, summed in numpy's order.
std::vector<double> megatron_normalise(std::span<const double> weights);

/// What of each set a blend of `num_samples` asks for: `shown` samples, of which a surplus of half
/// a percent is built. Source: _get_size_per_split_per_dataset.
struct MegatronSizes {
    std::vector<uint64_t> shown, built;
};
/// @param weights normalised once.
MegatronSizes megatron_sizes(std::span<const double> weights, uint64_t num_samples);

/// One data set. About 4 bytes of memory a document and epoch, 16 a sample, 8 a document.
class MegatronOrder {
 public:
    /// @param offsets first token of each document, and the end of the last.
    /// @param num_samples that the run asks for: the order depends on it.
    /// @throws UsageError beyond what Megatron's 32-bit indices hold, or for an empty set.
    MegatronOrder(std::vector<uint64_t> offsets, uint64_t seq_len, uint64_t seed,
                  uint64_t num_samples);

    /// Samples that were built: at least num_samples.
    uint64_t num_samples() const { return shuffle_.size(); }
    uint64_t num_epochs() const { return num_epochs_; }
    bool separates_last_epoch() const { return separates_last_epoch_; }
    /// Appends the pieces of seq_len + 1 tokens that are sample `sample`; a piece per document.
    void append_pieces(uint64_t sample, std::vector<Piece>& out) const;

    // GPTDataset's three indices, for comparison.
    std::span<const uint32_t> document_index() const { return documents_; }
    std::span<const uint32_t> shuffle_index() const { return shuffle_; }
    /// Where window `i` begins: place in document_index, and tokens into that document.
    std::pair<uint64_t, uint32_t> window_begin(uint64_t i) const;

 private:
    void count_epochs(uint64_t num_samples);
    void build_documents(NumpyShuffle& shuffle);
    void build_windows();
    void build_shuffle(NumpyShuffle& shuffle);
    uint64_t length(uint64_t place) const;

    std::vector<uint64_t> offsets_;
    uint64_t seq_len_, num_epochs_ = 1, whole_epoch_samples_ = 0;
    bool separates_last_epoch_ = false;
    std::vector<uint32_t> documents_;      // document by place, all epochs
    std::vector<uint64_t> window_places_;  // by window, and the end
    std::vector<uint32_t> window_offsets_;
    std::vector<uint32_t> shuffle_;  // window by sample
};

}  // namespace longhaul::shards
