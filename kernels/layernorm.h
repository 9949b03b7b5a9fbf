// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Fused residual addition and LayerNorm.
//   sum = x + residual;   n = (sum - mean) * rstd;   out = n * weight + bias
//   rstd = 1 / sqrt(variance + epsilon), variance with divisor C
// Source: Ba, Kiros and Hinton, "Layer Normalization", 2016, equation 4.
//
// Types, rounding of sum, alignment and determinism as in kernels/rmsnorm.h: activations, weight
// and bias are `dtype`; mean, rstd and weight gradients are the accumulator type (f32, for f64
// f64).

#include <cstdint>

#include "kernels/stream.h"
#include "lib/tensor/dtype.h"

namespace longhaul::kernels {

struct LayerNormForwardArgs {
    tensor::DType dtype = tensor::DType::kF32;
    int64_t rows = 0;     // R: tokens
    int64_t columns = 0;  // C: model width
    double epsilon = 1e-5;
    const void* x = nullptr;         // (R, C)
    const void* residual = nullptr;  // (R, C), or null: sum is x
    const void* weight = nullptr;    // (C)
    const void* bias = nullptr;      // (C)
    void* sum = nullptr;   // (R, C), may be x or residual (in place); null allowed without residual
    void* out = nullptr;   // (R, C), overlaps no other buffer
    void* mean = nullptr;  // (R), accumulator type
    void* rstd = nullptr;  // (R), accumulator type
};

/// Backward of the above. With g = grad_out * weight and n = (sum - mean) * rstd:
///   grad_sum = grad_residual + rstd * (g - mean(g) - n * mean(g * n))
///   grad_weight += sum_rows(grad_out * n);   grad_bias += sum_rows(grad_out)
/// Set grad_sum, or grad_weight and grad_bias, to null to get the other alone.
struct LayerNormBackwardArgs {
    tensor::DType dtype = tensor::DType::kF32;
    int64_t rows = 0;
    int64_t columns = 0;
    const void* grad_out = nullptr;       // (R, C)
    const void* grad_residual = nullptr;  // (R, C) arriving at sum by its other use; null: zero
    const void* sum = nullptr;            // (R, C) saved by forward
    const void* weight = nullptr;         // (C)
    const void* mean = nullptr;           // (R) saved by forward
    const void* rstd = nullptr;           // (R) saved by forward
    void* grad_sum = nullptr;     // (R, C), may be grad_out or grad_residual (in place); or null
    void* grad_weight = nullptr;  // (C), accumulator type, added to; or null
    void* grad_bias = nullptr;    // (C), accumulator type, added to; or null
};

namespace cpu {
void layernorm_forward(Stream& stream, const LayerNormForwardArgs& args);
void layernorm_backward(Stream& stream, const LayerNormBackwardArgs& args);
}  // namespace cpu

namespace cuda {
void layernorm_forward(Stream& stream, const LayerNormForwardArgs& args);
void layernorm_backward(Stream& stream, const LayerNormBackwardArgs& args);
}  // namespace cuda

}  // namespace longhaul::kernels
