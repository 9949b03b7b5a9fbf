// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Final norm, head and loss. Logits exist for a chunk of tokens only: each chunk's loss, gradient
// of logits, gradient of the norm's output and gradient of the head's weight are formed before the
// next chunk overwrites them.

#include <cstdint>

#include "lib/model/config.h"
#include "lib/model/layers.h"
#include "lib/model/params.h"
#include "lib/tensor/alloc.h"

namespace longhaul::model {

class Head {
 public:
    /// @param max_rows tokens in one call. @param chunk_tokens rows of logits held; 0: chosen so
    /// that they take about 64 MiB.
    Head(const ModelConfig& config, const ModelParams& params, const Context& context,
         int64_t max_rows, int64_t chunk_tokens, bool training, tensor::Alloc& alloc);

    /// Sum of the losses of `rows` tokens; -100 in targets is not counted.
    /// @param x, residual the pair that the last block passes on.
    double loss(Context& context, int64_t rows, const void* x, const void* residual,
                const int32_t* targets);

    /// The same, and the head's part of the backward pass: adds to the head's weight gradient and
    /// keeps the gradient of the norm's output.
    double loss_and_gradient(Context& context, int64_t rows, const void* x, const void* residual,
                             const int32_t* targets, double grad_scale);

    /// Gradient of the last block's output into grad_in (R, C); adds the final norm's gradients.
    void backward(Context& context, int64_t rows, void* grad_in);

    /// Logits of all rows as f64.
    void logits(Context& context, int64_t rows, const void* x, const void* residual,
                std::span<double> out);

 private:
    double run(Context& context, int64_t rows, const int32_t* targets, double grad_scale,
               bool want_grad);
    void normalise(Context& context, int64_t rows, const void* x, const void* residual);
    void multiply_chunk(Context& context, int64_t first, int64_t count);
    void backward_chunk(Context& context, int64_t first, int64_t count);

    ModelConfig config_;
    NormParams norm_;
    LinearParams linear_;
    int64_t chunk_, logits_stride_;
    tensor::Buffer sum_, mean_, rstd_, normed_;  // (R, C), (R), (R), (R, C)
    tensor::Buffer grad_normed_;                 // (R, C)
    tensor::Buffer logits_, losses_;             // (chunk, stride), (R)
};

}  // namespace longhaul::model
