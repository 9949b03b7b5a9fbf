// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Token embedding with optional learned positions:  out[r] = table[tokens[r]] + positions[p(r)]
// where p(r) = first_position + r % seq_len - document_begins[r]; the last only where it is given:
// then positions count from 0 in each document of a sequence (kernels/attention.h).
//
// Types: tables and out `dtype` (f32, bf16 or f64), gradients of tables the accumulator type (f32,
// for f64 f64), added to. Tokens must lie in [0, vocab): the caller checks. Deterministic: every
// element of a gradient sums its tokens in order of r, for any number of threads.

#include <cstdint>

#include "kernels/stream.h"
#include "lib/tensor/dtype.h"

namespace longhaul::kernels {

struct EmbeddingForwardArgs {
    tensor::DType dtype = tensor::DType::kF32;
    int64_t rows = 0;     // R: tokens
    int64_t columns = 0;  // C: model width
    int64_t seq_len = 0;
    int64_t first_position = 0;
    const int32_t* tokens = nullptr;           // (R)
    const void* table = nullptr;               // (vocab, C)
    const void* positions = nullptr;           // (max_seq_len, C), or null
    void* out = nullptr;                       // (R, C)
    const int32_t* document_begins = nullptr;  // (R), or null
};

struct EmbeddingBackwardArgs {
    tensor::DType dtype = tensor::DType::kF32;
    int64_t rows = 0;
    int64_t columns = 0;
    int64_t seq_len = 0;
    const int32_t* tokens = nullptr;  // (R)
    const void* grad_out = nullptr;   // (R, C)
    void* grad_table = nullptr;       // (vocab, C), accumulator type, added to; or null
    void* grad_positions = nullptr;   // (max_seq_len, C), accumulator type, added to; or null
    const int32_t* document_begins = nullptr;  // (R), or null
};

namespace cpu {
void embedding_forward(Stream& stream, const EmbeddingForwardArgs& args);
void embedding_backward(Stream& stream, const EmbeddingBackwardArgs& args);
}  // namespace cpu

namespace cuda {
void embedding_forward(Stream& stream, const EmbeddingForwardArgs& args);
void embedding_backward(Stream& stream, const EmbeddingBackwardArgs& args);
}  // namespace cuda

}  // namespace longhaul::kernels
