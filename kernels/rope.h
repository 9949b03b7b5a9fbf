// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Rotary position embedding in the half-split form of Hugging Face and GPT-NeoX: element i of a
// head is rotated with element i + D/2, in place:
//   x1' = x1 cos - x2 sin;   x2' = x2 cos + x1 sin;   angle = position * theta^(-2 i / D)
// Source: Su et al., "RoFormer", 2021, section 3.2.2; half-split: EleutherAI GPT-NeoX.
// The backward pass is the rotation by the opposite angle.
//
// Types: x f32, bf16 or f64; tables f32 (for f64: f64), which the caller computes in f64: positions
// or angles in bf16 would be 16 steps off at position 15,962. Deterministic.

#include <cstdint>

#include "kernels/stream.h"
#include "lib/tensor/dtype.h"

namespace longhaul::kernels {

struct RopeArgs {
    tensor::DType dtype = tensor::DType::kF32;
    int64_t rows = 0;        // tokens
    int64_t num_heads = 0;   // heads rotated; they start at x and follow each other
    int64_t head_dim = 0;    // D, even
    int64_t row_stride = 0;  // elements from one token to the next
    void* x = nullptr;       // element (row, head, i) at row * row_stride + head * D + i
    int64_t seq_len = 0;     // row r has position first_position + r % seq_len
    int64_t first_position = 0;
    const void* cosines = nullptr;  // (positions, D / 2)
    const void* sines = nullptr;    // (positions, D / 2)
    bool inverse = false;           // rotate back: the backward pass
    /// (rows), or null: subtracted from the position, so that positions count from 0 in each
    /// document of a sequence; see kernels/attention.h.
    const int32_t* document_begins = nullptr;
};

namespace cpu {
void rope(Stream& stream, const RopeArgs& args);
}

namespace cuda {
void rope(Stream& stream, const RopeArgs& args);
}  // namespace cuda

}  // namespace longhaul::kernels
