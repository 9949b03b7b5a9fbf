// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// GELU in its tanh form, element-wise:
//   out = 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
// Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016, section 2; used by GPT-2.
//
// Types: f32, bf16 or f64; computed in f32 (f64). Natural alignment. Deterministic.

#include <cstdint>

#include "kernels/stream.h"
#include "lib/tensor/dtype.h"

namespace longhaul::kernels {

struct GeluForwardArgs {
    tensor::DType dtype = tensor::DType::kF32;
    int64_t count = 0;
    const void* x = nullptr;  // (count)
    void* out = nullptr;      // (count), may be x
};

struct GeluBackwardArgs {
    tensor::DType dtype = tensor::DType::kF32;
    int64_t count = 0;
    const void* x = nullptr;         // (count) saved by forward
    const void* grad_out = nullptr;  // (count)
    void* grad_x = nullptr;          // (count), may be grad_out
};

namespace cpu {
void gelu_forward(Stream& stream, const GeluForwardArgs& args);
void gelu_backward(Stream& stream, const GeluBackwardArgs& args);
}  // namespace cpu

namespace cuda {
void gelu_forward(Stream& stream, const GeluForwardArgs& args);
void gelu_backward(Stream& stream, const GeluBackwardArgs& args);
}  // namespace cuda

}  // namespace longhaul::kernels
