// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One decoder block of either family: forward, backward by inputs, backward by weights.
//   sum1 = x + residual;           attention branch: proj(attend(qkv(norm1(sum1))))
//   sum2 = sum1 + attention branch; feed-forward branch: down(act(up(norm2(sum2))))
// The last addition is left to the next norm (a fused kernel), so a block passes on the pair (sum2,
// feed-forward branch). Buffers are the caller's; every call uses `rows` = batch * seq_len tokens.

#include <cstdint>

#include "kernels/attention.h"
#include "lib/model/config.h"
#include "lib/model/layers.h"
#include "lib/model/params.h"
#include "lib/model/rope_table.h"
#include "lib/tensor/alloc.h"

namespace longhaul::model {

struct TokenShape {
    int64_t batch = 0, seq_len = 0;
    int64_t first_position = 0;  // of the first token of a sequence; > 0 continues a cached one
    const int32_t* document_begins = nullptr;  // (batch, seq_len), see Batch; or null
    int64_t rows() const { return batch * seq_len; }
};

/// Keys and values of one block and one sequence: rows [k | v] of 2 Hk D elements by position.
/// Empty for training.
using KeyValueCache = tensor::Buffer;

/// Tensors of the forward pass that the backward pass reads. Each declares in make_saved() whether
/// it is kept per block or recomputed into memory that all blocks share.
struct BlockSaved {
    tensor::Buffer sum1, mean1, rstd1, norm1;  // (R, C), (R), (R), (R, C)
    tensor::Buffer qk_raw, q_rstd, k_rstd;     // before QK norm: (R, (H + Hk) D), (R, H), (R, Hk)
    tensor::Buffer qkv, lse, attended;         // (R, (H + 2 Hk) D) rotated, (B, H, T), (R, H D)
    tensor::Buffer sum2, mean2, rstd2, norm2;
    tensor::Buffer hidden, activated;  // (R, F) or (R, 2 F); (R, F)
};

/// Gradients between backward_input and backward_weight of one block.
struct BlockGradients {
    tensor::Buffer hidden, norm2, sum2, qkv, norm1;
};

/// Scratch inside one call.
struct BlockScratch {
    tensor::Buffer branch;     // (R, max(C, H D)): output of proj, gradient of attended
    tensor::Buffer activated;  // (R, F): its gradient; empty for GELU, which works in place
    tensor::Buffer attention;  // bytes
};

class Block {
 public:
    Block(const ModelConfig& config, const BlockParams& params, const RopeTable& rope)
        : config_(config), params_(params), rope_(rope) {}

    /// @param x, residual the pair of the block below; residual may be null and x may be
    /// saved.sum1. Writes the feed-forward branch to `out` (R, C), which may be residual.
    /// @param cache takes this call's keys and values, and gives those of earlier positions.
    void forward(Context& context, TokenShape shape, const void* x, const void* residual,
                 const BlockSaved& saved, const BlockScratch& scratch, void* out,
                 const KeyValueCache& cache = {}) const;

    /// Fills again what follows from saved.sum1.
    void recompute_all(Context& context, TokenShape shape, const BlockSaved& saved,
                       const BlockScratch& scratch) const;
    /// Fills again the norms' and the activation's outputs.
    void recompute_cheap(Context& context, TokenShape shape, const BlockSaved& saved) const;

    /// @param grad_out (R, C): gradient of sum2 + branch. @param grad_in (R, C): gradient of sum1.
    void backward_input(Context& context, TokenShape shape, const BlockSaved& saved,
                        const BlockGradients& gradients, const BlockScratch& scratch,
                        const void* grad_out, void* grad_in) const;
    /// Adds the weight gradients. The few weights of QK norm are added by backward_input.
    void backward_weight(Context& context, TokenShape shape, const BlockSaved& saved,
                         const BlockGradients& gradients, const void* grad_out) const;

 private:
    void attention_branch(Context& context, TokenShape shape, const BlockSaved& saved,
                          const BlockScratch& scratch, const KeyValueCache& cache) const;
    void read_cache(Context& context, TokenShape shape, const KeyValueCache& cache,
                    kernels::AttentionForwardArgs& args) const;
    void normalise_heads(Context& context, TokenShape shape, const BlockSaved& saved) const;
    void rotate(Context& context, TokenShape shape, void* qkv, bool inverse) const;
    void activate(Context& context, TokenShape shape, const BlockSaved& saved) const;
    void feed_forward_backward(Context& context, TokenShape shape, const BlockSaved& saved,
                               const BlockGradients& gradients, const BlockScratch& scratch,
                               const void* grad_out) const;
    void attention_backward(Context& context, TokenShape shape, const BlockSaved& saved,
                            const BlockGradients& gradients, const BlockScratch& scratch) const;
    void head_norm_backward(Context& context, TokenShape shape, const BlockSaved& saved,
                            const BlockGradients& gradients) const;

    ModelConfig config_;
    BlockParams params_;
    RopeTable rope_;
};

}  // namespace longhaul::model
