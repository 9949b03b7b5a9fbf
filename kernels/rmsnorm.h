// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Fused residual addition and RMSNorm.
//   sum = x + residual;   rstd = 1 / sqrt(mean(sum^2) + epsilon);   out = sum * rstd * weight
// Source: Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019, equation 4.
//
// Types: activations and weight are all `dtype` (f32, bf16 or f64). rstd and grad_weight are f32,
// for f64 activations f64 ("accumulator type"); all sums are formed in that type or wider. With
// bf16 the norm is taken of the *rounded* sum, so that backward, which reads `sum`, sees the same.
// CUDA: buffers are 16-byte aligned and columns * size_of(dtype) is a multiple of 16; the CPU needs
// natural alignment only. Determinism: bit-equal for equal arguments, for any number of threads.

#include <cstddef>
#include <cstdint>

#include "kernels/stream.h"
#include "lib/tensor/dtype.h"

namespace longhaul::kernels {

struct RmsNormForwardArgs {
    tensor::DType dtype = tensor::DType::kF32;
    int64_t rows = 0;     // R: tokens
    int64_t columns = 0;  // C: model width
    double epsilon = 1e-5;
    const void* x = nullptr;         // (R, C)
    const void* residual = nullptr;  // (R, C), or null: sum is x
    const void* weight = nullptr;    // (C)
    void* sum = nullptr;   // (R, C), may be x or residual (in place); null allowed without residual
    void* out = nullptr;   // (R, C), overlaps no other buffer
    void* rstd = nullptr;  // (R), accumulator type
};

/// Backward of the above. With g = grad_out * weight and n = sum * rstd:
///   grad_sum = grad_residual + rstd * (g - n * mean(g * n));   grad_weight += sum_rows(grad_out *
///   n)
/// grad_sum is the gradient of both x and residual. Set grad_sum (or grad_weight) to null to get
/// the other alone: the split of bwd_input and bwd_weight.
struct RmsNormBackwardArgs {
    tensor::DType dtype = tensor::DType::kF32;
    int64_t rows = 0;
    int64_t columns = 0;
    const void* grad_out = nullptr;       // (R, C)
    const void* grad_residual = nullptr;  // (R, C) arriving at sum by its other use; null: zero
    const void* sum = nullptr;            // (R, C) saved by forward
    const void* weight = nullptr;         // (C)
    const void* rstd = nullptr;           // (R) saved by forward
    void* grad_sum = nullptr;     // (R, C), may be grad_out or grad_residual (in place); or null
    void* grad_weight = nullptr;  // (C), accumulator type, added to; or null
    void* scratch = nullptr;      // rmsnorm_backward_scratch_bytes(), 16-byte aligned
    size_t scratch_bytes = 0;
};

namespace cpu {
void rmsnorm_forward(Stream& stream, const RmsNormForwardArgs& args);
void rmsnorm_backward(Stream& stream, const RmsNormBackwardArgs& args);
/// Bytes of scratch that rmsnorm_backward() needs for this shape when grad_weight is wanted.
size_t rmsnorm_backward_scratch_bytes(tensor::DType dtype, int64_t rows, int64_t columns);
}  // namespace cpu

namespace cuda {
void rmsnorm_forward(Stream& stream, const RmsNormForwardArgs& args);
void rmsnorm_backward(Stream& stream, const RmsNormBackwardArgs& args);
size_t rmsnorm_backward_scratch_bytes(tensor::DType dtype, int64_t rows, int64_t columns);
}  // namespace cuda

}  // namespace longhaul::kernels
