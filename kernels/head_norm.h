// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// RMSNorm over each head of queries or keys ("QK norm"), inside packed rows:
//   out[row, h] = x[row, h] rstd[row, h] weight;   rstd = 1 / sqrt(mean_i(x[row, h, i]^2) +
//   epsilon)
// Source: Henry et al., "Query-Key Normalization for Transformers", 2020; RMS form as in Qwen3.
//
// Types: x, out, weight and their gradients f32, bf16 or f64 (weight gradient: the accumulator
// type, f32, for f64 f64). Deterministic. A head's elements are contiguous; heads follow each
// other.

#include <cstdint>

#include "kernels/stream.h"
#include "lib/tensor/dtype.h"

namespace longhaul::kernels {

struct HeadNormForwardArgs {
    tensor::DType dtype = tensor::DType::kF32;
    int64_t rows = 0;  // tokens
    int64_t num_heads = 0;
    int64_t head_dim = 0;
    double epsilon = 1e-5;
    const void* x = nullptr;  // (row, head, i) at row * x_stride + head * head_dim + i
    int64_t x_stride = 0;
    const void* weight = nullptr;  // (head_dim)
    void* out = nullptr;           // as x, with x_stride; may be x
    void* rstd = nullptr;          // (rows, num_heads), accumulator type
    void* kept = nullptr;          // copy of x for backward, with kept_stride; or null
    int64_t kept_stride = 0;
};

/// Backward by input and by weight in one call. grad may be in place: grad_x == grad_out.
struct HeadNormBackwardArgs {
    tensor::DType dtype = tensor::DType::kF32;
    int64_t rows = 0;
    int64_t num_heads = 0;
    int64_t head_dim = 0;
    const void* grad_out = nullptr;  // with grad_stride
    const void* x = nullptr;         // input of forward, with x_stride
    int64_t grad_stride = 0;
    int64_t x_stride = 0;
    const void* weight = nullptr;
    const void* rstd = nullptr;
    void* grad_x = nullptr;       // with grad_stride
    void* grad_weight = nullptr;  // (head_dim), accumulator type, added to
};

namespace cpu {
void head_norm_forward(Stream& stream, const HeadNormForwardArgs& args);
void head_norm_backward(Stream& stream, const HeadNormBackwardArgs& args);
}  // namespace cpu

}  // namespace longhaul::kernels
