// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where the weights of one bucket lie in its flat buffer, and how that buffer is cut into equal
// shards. Pure.

#include <cstdint>
#include <span>
#include <vector>

#include "lib/tensor/box.h"

namespace longhaul::parallel {

/// One weight in the flat buffer.
struct FlatEntry {
    int param = 0;      // index into the model's specs
    int64_t first = 0;  // of its elements in the buffer
    int64_t count = 0;
};

/// A run of one weight's storage inside a range of the buffer.
struct FlatPiece {
    int param = 0;
    int64_t param_first = 0;   // in the weight's local storage
    int64_t bucket_first = 0;  // in the buffer
    int64_t count = 0;
};

/// Every weight begins at a multiple of kAlign elements (64 bytes of the smallest type, and whole
/// groups of the stochastic rounding); shards are equal and begin at such multiples, too.
class FlatLayout {
 public:
    static constexpr int64_t kAlign = 32;

    /// @param params, counts the weights in order and their local elements.
    FlatLayout(std::span<const int> params, std::span<const int64_t> counts, int num_shards);

    int64_t size() const { return size_; }  // padded
    int num_shards() const { return num_shards_; }
    const std::vector<FlatEntry>& entries() const { return entries_; }
    tensor::Range whole() const { return {0, size_}; }
    tensor::Range shard(int index) const;
    /// The weights under `range`, padding left out.
    std::vector<FlatPiece> pieces(tensor::Range range) const;

 private:
    std::vector<FlatEntry> entries_;
    int64_t size_ = 0;
    int num_shards_;
};

}  // namespace longhaul::parallel
