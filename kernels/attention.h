// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Causal attention with grouped queries, forward and backward, without a T x T matrix:
//   out[t, h] = sum_{s <= first_query + t} softmax_s(scale q[t, h] . k[s, g(h)]) v[s, g(h)]
// where g(h) = h / (num_heads / num_kv_heads). The query t of a sequence has position
// first_query + t; first_query > 0 continues a sequence whose keys are cached. With document_begins
// a query sees the keys of its own document only: the sum runs over s from document_begins[b, t]
// on. Source: Dao et al., "FlashAttention", 2022, algorithms 1, 2 and 4; grouped queries: Ainslie
// et al., "GQA", 2023.
//
// Types: q, k, v, out and their gradients f32, bf16 or f64; lse f32 (f64 for f64); products and
// sums in f32 (f64). Deterministic: bit-equal for any number of threads. Natural alignment. Layout:
// element (b, t, head, i) of q lies at q + b * q_batch_stride + t * q_row_stride + head * head_dim
// + i, and so on: packed [q | k | v] rows and a key cache need no copy.

#include <cstddef>
#include <cstdint>

#include "kernels/stream.h"
#include "lib/tensor/dtype.h"

namespace longhaul::kernels {

/// Where the heads of one operand lie; strides in elements.
struct HeadLayout {
    int64_t batch_stride = 0;
    int64_t row_stride = 0;
};

struct AttentionShape {
    tensor::DType dtype = tensor::DType::kF32;
    int64_t batch = 0;
    int64_t query_len = 0;  // T
    int64_t key_len = 0;    // S >= first_query + T are read up to first_query + T
    int64_t first_query = 0;
    int64_t num_heads = 0;     // H
    int64_t num_kv_heads = 0;  // divides H
    int64_t head_dim = 0;      // D
};

struct AttentionForwardArgs {
    AttentionShape shape;
    double scale = 0;  // usually 1 / sqrt(D)
    const void* q = nullptr;
    const void* k = nullptr;
    const void* v = nullptr;
    void* out = nullptr;
    HeadLayout q_layout, kv_layout, out_layout;
    void* lse = nullptr;      // (B, H, T) log of the sum of exponentials, accumulator type; or null
    void* scratch = nullptr;  // attention_scratch_bytes(), 64-byte aligned
    size_t scratch_bytes = 0;
    /// (B, T), or null: for each query the position at which its document begins, <= its own and
    /// not decreasing along a sequence. Needs first_query = 0.
    const int32_t* document_begins = nullptr;
};

/// Backward with first_query = 0 and key_len = query_len. Gradients are written, not added to.
struct AttentionBackwardArgs {
    AttentionShape shape;
    double scale = 0;
    const void* q = nullptr;
    const void* k = nullptr;
    const void* v = nullptr;
    const void* out = nullptr;       // saved by forward
    const void* lse = nullptr;       // saved by forward
    const void* grad_out = nullptr;  // layout as out
    void* grad_q = nullptr;          // layout as q; overlaps nothing
    void* grad_k = nullptr;          // layout as k
    void* grad_v = nullptr;
    HeadLayout q_layout, kv_layout, out_layout, grad_q_layout, grad_kv_layout;
    void* scratch = nullptr;
    size_t scratch_bytes = 0;
    const int32_t* document_begins = nullptr;  // as in forward
};

namespace cpu {
/// Bytes of scratch for either pass, for the threads that the calling thread may use now.
size_t attention_scratch_bytes(const AttentionShape& shape, bool backward);
void attention_forward(Stream& stream, const AttentionForwardArgs& args);
void attention_backward(Stream& stream, const AttentionBackwardArgs& args);
}  // namespace cpu

namespace cuda {
/// Bytes of scratch for either pass. Heads of up to 128 elements (f64: 64).
size_t attention_scratch_bytes(const AttentionShape& shape, bool backward);
void attention_forward(Stream& stream, const AttentionForwardArgs& args);
void attention_backward(Stream& stream, const AttentionBackwardArgs& args);
}  // namespace cuda

}  // namespace longhaul::kernels
