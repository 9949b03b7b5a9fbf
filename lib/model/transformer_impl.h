// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The body of Transformer: buffers by their policy, and the order of calls.

#include <optional>
#include <vector>

#include "lib/model/block.h"
#include "lib/model/head.h"
#include "lib/model/transformer.h"

namespace longhaul::model {

class Transformer::Impl {
 public:
    Impl(const ModelConfig& config, const TransformerOptions& options, tensor::Alloc& alloc);

    void bind(int index, tensor::Buffer weight, tensor::Buffer gradient);
    LossSums forward(const Batch& batch);
    LossSums forward_train(const Batch& batch, double grad_scale);
    void backward(const BlockDone& on_block);
    void backward_head();
    void backward_input(int block);
    void backward_weight(int block);
    void backward_embedding();
    void logits(const Batch& batch, std::span<double> out);
    void extend(std::span<const int32_t> tokens, std::span<double> out);
    void truncate_cache(int64_t count);

    int64_t cached_tokens = 0;
    ModelConfig config;
    TransformerOptions options;
    ModelParams params;

 private:
    /// What the blocks hand to the head.
    struct Pair {
        const void* x;
        const void* residual;
    };

    void allocate(tensor::Alloc& alloc);
    void allocate_gradients(tensor::Alloc& alloc);
    BlockSaved make_saved(tensor::Alloc& alloc, const BlockSaved* shared, int block);
    int64_t check_batch(const Batch& batch) const;
    /// @param first_position > 0 continues the cached sequence.
    Pair run_blocks(const Batch& batch, int64_t first_position = 0, bool cached = false);
    void* residual_gradient(int block) { return grad_residual_[block % 2].data; }

    Context context_;
    RopeTable rope_;
    std::vector<Block> blocks_;
    std::vector<BlockSaved> saved_;      // per block; shared members point to the same memory
    std::vector<KeyValueCache> caches_;  // per block; empty ones when there is no cache
    BlockScratch scratch_;
    BlockGradients gradients_;
    tensor::Buffer branch_;            // (R, C): feed-forward branch of the block below
    tensor::Buffer grad_residual_[2];  // (R, C): gradient at the output of even and odd blocks
    std::optional<Head> head_;
    TokenShape shape_;                 // of the last forward_train()
    const int32_t* tokens_ = nullptr;  // of the last forward_train()
    int next_backward_ = -1;           // block whose backward_input is due; -1: none
    int open_weight_ = -1;             // block whose backward_weight is due; -1: none
};

}  // namespace longhaul::model
