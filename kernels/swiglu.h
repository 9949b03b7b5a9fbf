// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// SwiGLU on packed rows [gate | up]:  out = gate * sigmoid(gate) * up
// Source: Shazeer, "GLU Variants Improve Transformer", 2020, equation 6 (without biases).
//
// Types: f32, bf16 or f64; computed in f32 (f64). Natural alignment. Deterministic.

#include <cstdint>

#include "kernels/stream.h"
#include "lib/tensor/dtype.h"

namespace longhaul::kernels {

struct SwigluForwardArgs {
    tensor::DType dtype = tensor::DType::kF32;
    int64_t rows = 0;
    int64_t columns = 0;            // F: width of gate, of up and of out
    const void* gate_up = nullptr;  // (rows, 2 F)
    void* out = nullptr;            // (rows, F), overlaps nothing
};

struct SwigluBackwardArgs {
    tensor::DType dtype = tensor::DType::kF32;
    int64_t rows = 0;
    int64_t columns = 0;
    const void* gate_up = nullptr;   // (rows, 2 F) saved by forward
    const void* grad_out = nullptr;  // (rows, F)
    void* grad_gate_up = nullptr;    // (rows, 2 F), may be gate_up (in place)
};

namespace cpu {
void swiglu_forward(Stream& stream, const SwigluForwardArgs& args);
void swiglu_backward(Stream& stream, const SwigluBackwardArgs& args);
}  // namespace cpu

namespace cuda {
void swiglu_forward(Stream& stream, const SwigluForwardArgs& args);
void swiglu_backward(Stream& stream, const SwigluBackwardArgs& args);
}  // namespace cuda

}  // namespace longhaul::kernels
