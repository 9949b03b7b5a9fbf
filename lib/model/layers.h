// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Linear and norm layers: forward, backward by input, backward by weight, on raw buffers. They hold
// no state: a layer is its LinearParams or NormParams and the bound weights of a Context.

#include <vector>

#include "kernels/matmul.h"
#include "kernels/stream.h"
#include "lib/model/params.h"
#include "lib/tensor/alloc.h"

namespace longhaul::model {

/// A parameter's memory; `gradient` is empty for inference.
struct BoundParam {
    tensor::Buffer weight, gradient;
};

/// What every layer call needs: where to run, in which types, with which weights.
struct Context {
    kernels::Stream stream = kernels::Stream::cpu();
    tensor::DType compute = tensor::DType::kF32;
    tensor::DType accumulator = tensor::DType::kF32;
    kernels::MatmulOrder order = kernels::MatmulOrder::kFastest;
    double norm_eps = 1e-5;
    std::vector<BoundParam> params;

    const void* weight(ParamIndex index) const {
        return index == kNoParam ? nullptr : params[static_cast<size_t>(index)].weight.data;
    }
    void* gradient(ParamIndex index) const {
        return index == kNoParam ? nullptr : params[static_cast<size_t>(index)].gradient.data;
    }
};

/// y (rows, out) = x (rows, in) W + b.
void linear_forward(Context& context, const LinearParams& layer, int64_t rows, const void* x,
                    void* y);
/// grad_x (rows, in) = grad_y (rows, out) W^T.
void linear_backward_input(Context& context, const LinearParams& layer, int64_t rows,
                           const void* grad_y, void* grad_x);
/// Adds x^T grad_y to the weight's gradient and the sum of rows to the bias's.
void linear_backward_weight(Context& context, const LinearParams& layer, int64_t rows,
                            const void* x, const void* grad_y);

/// What a norm saves: one number a row; mean is unused by RMSNorm.
struct NormStats {
    void* mean = nullptr;
    void* rstd = nullptr;
};

/// sum = x + residual (residual may be null, then sum may be null too); out = norm(sum).
struct NormForward {
    const void* x = nullptr;
    const void* residual = nullptr;
    void* sum = nullptr;
    void* out = nullptr;
    NormStats stats;
};
void norm_forward(Context& context, const NormParams& layer, int64_t rows, int64_t columns,
                  const NormForward& io);

struct NormBackward {
    const void* grad_out = nullptr;
    const void* grad_residual = nullptr;  // arriving at sum by its other use
    const void* sum = nullptr;
    NormStats stats;
    void* grad_sum = nullptr;  // input only
};
void norm_backward_input(Context& context, const NormParams& layer, int64_t rows, int64_t columns,
                         const NormBackward& io);
void norm_backward_weight(Context& context, const NormParams& layer, int64_t rows, int64_t columns,
                          const NormBackward& io);

}  // namespace longhaul::model
