// SPDX-License-Identifier: BSD-3-Clause
// Attention backward: one task is one key head of one sequence, with all query heads of its group
// in order, so that no two tasks add to the same gradient and no order depends on threads
// (FlashAttention, algorithm 4; the probabilities are computed again from the saved lse).

#include <algorithm>
#include <limits>

#include "kernels/attention.h"
#include "kernels/cpu/attention_scratch.h"
#include "kernels/cpu/dtype_switch.h"
#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/attention_backward.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/attention_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::kernels::HWY_NAMESPACE {
namespace {

/// One thread's operands: whole heads of `length` (padded) rows, and tiles.
template <class A>
struct Heads {
    int64_t length, padded, rows;
    const int32_t* begins = nullptr;                         // of the sequence's documents, or null
    A *key, *value, *grad_key, *grad_value;                  // of the key head
    A *query, *grad_out, *grad_query, *lse, *delta;          // of the current query head
    A *query_t, *grad_out_t, *probability_t, *grad_score_t;  // tiles
    Heads(A* scratch, const AttentionShape& shape)
        : length(cpu::round_up(shape.query_len, kTile)),
          padded(cpu::round_up(shape.head_dim, cpu::kAttentionPad)),
          rows(shape.query_len) {
        Cursor<A> cursor(scratch);
        for (A** head : {&key, &value, &grad_key, &grad_value, &query, &grad_out, &grad_query}) {
            *head = cursor.take(length * padded);
        }
        lse = cursor.take(length);
        delta = cursor.take(length);
        query_t = cursor.take(kTile * padded);
        grad_out_t = cursor.take(kTile * padded);
        probability_t = cursor.take(kTile * kTile);
        grad_score_t = cursor.take(kTile * kTile);
    }
};

/// delta[t] = sum_i grad_out[t, i] out[t, i]: the softmax's row term.
template <class T, class A>
void load_delta(const T* out, int64_t stride, int64_t rows, int64_t dim, Heads<A>& heads) {
    const Tag<A> d;
    std::fill(heads.delta, heads.delta + heads.length, A{0});
    for (int64_t row = 0; row < rows; ++row) {
        auto total = hn::Zero(d);
        for_lanes(d, dim, [&](auto lanes, int64_t i) {
            total = hn::MulAdd(lanes.get(d, out + row * stride + i),
                               lanes.get(d, heads.grad_out + row * heads.padded + i), total);
        });
        heads.delta[row] = sum_lanes(d, total);
    }
}

/// Scores to probabilities, and the gradient of the probabilities to that of the scores:
///   p = exp(s - lse), 0 in the future;   ds = p (dp - delta) scale
template <class A>
void softmax_backward(Heads<A>& heads, int64_t first, bool on_diagonal, A scale) {
    const Tag<A> d;
    const auto width = static_cast<int64_t>(hn::Lanes(d));
    const auto factor = hn::Set(d, scale);
    for (int64_t key = 0; key < kTile; ++key) {
        A* p_row = heads.probability_t + key * kTile;
        A* ds_row = heads.grad_score_t + key * kTile;
        if (on_diagonal) {
            std::fill(p_row, p_row + key, -std::numeric_limits<A>::infinity());
        }
        for (int64_t i = 0; i < kTile; i += width) {
            const auto lse = hn::LoadU(d, heads.lse + first + i);
            const auto p = exponential(d, hn::Sub(hn::LoadU(d, p_row + i), lse));
            const auto dp =
                hn::Sub(hn::LoadU(d, ds_row + i), hn::LoadU(d, heads.delta + first + i));
            hn::StoreU(p, d, p_row + i);
            hn::StoreU(hn::Mul(hn::Mul(p, dp), factor), d, ds_row + i);
        }
    }
}

/// All that the tile pair (keys from s, queries from t) adds to the gradients.
template <class A>
void backward_tile(Heads<A>& heads, int64_t s, int64_t t, int64_t dim, A scale) {
    const int64_t padded = heads.padded;
    const int64_t at_key = s * padded;
    const int64_t at_query = t * padded;
    multiply_block<A>(kTile, kTile, dim, {heads.key + at_key, padded, 1}, heads.query_t, kTile,
                      heads.probability_t, kTile, false);
    multiply_block<A>(kTile, kTile, dim, {heads.value + at_key, padded, 1}, heads.grad_out_t, kTile,
                      heads.grad_score_t, kTile, false);
    if (heads.begins != nullptr) {
        mask_other_documents(heads.probability_t, kTile, heads.begins + t,
                             std::min(kTile, heads.rows - t), s);
    }
    softmax_backward(heads, t, s == t, scale);
    multiply_block<A>(kTile, padded, kTile, {heads.probability_t, kTile, 1},
                      heads.grad_out + at_query, padded, heads.grad_value + at_key, padded, true);
    multiply_block<A>(kTile, padded, kTile, {heads.grad_score_t, kTile, 1}, heads.query + at_query,
                      padded, heads.grad_key + at_key, padded, true);
    multiply_block<A>(kTile, padded, kTile, {heads.grad_score_t, 1, kTile}, heads.key + at_key,
                      padded, heads.grad_query + at_query, padded, true);
}

template <class T, class A>
void backward_head(const AttentionBackwardArgs& args, int64_t batch, int64_t head,
                   Heads<A>& heads) {
    const int64_t dim = args.shape.head_dim;
    const int64_t rows = args.shape.query_len;
    const int64_t q_stride = args.q_layout.row_stride;
    const int64_t out_stride = args.out_layout.row_stride;
    load_head(head_at(static_cast<const T*>(args.q), args.q_layout, batch, head, dim), q_stride,
              rows, dim, heads.length, heads.padded, heads.query);
    load_head(head_at(static_cast<const T*>(args.grad_out), args.out_layout, batch, head, dim),
              out_stride, rows, dim, heads.length, heads.padded, heads.grad_out);
    load_delta(head_at(static_cast<const T*>(args.out), args.out_layout, batch, head, dim),
               out_stride, rows, dim, heads);
    const A* lse = static_cast<const A*>(args.lse) + (batch * args.shape.num_heads + head) * rows;
    std::copy(lse, lse + rows, heads.lse);
    std::fill(heads.lse + rows, heads.lse + heads.length, std::numeric_limits<A>::infinity());
    std::fill(heads.grad_query, heads.grad_query + heads.length * heads.padded, A{0});
    for (int64_t t = 0; t < rows; t += kTile) {
        transpose_tile(heads.query + t * heads.padded, heads.padded, dim,
                       static_cast<A>(args.scale), heads.query_t);
        transpose_tile(heads.grad_out + t * heads.padded, heads.padded, dim, A{1},
                       heads.grad_out_t);
        const int64_t first_tile = heads.begins == nullptr ? 0 : heads.begins[t] / kTile * kTile;
        for (int64_t s = first_tile; s <= t; s += kTile) {
            backward_tile(heads, s, t, dim, static_cast<A>(args.scale));
        }
    }
    store_head(heads.grad_query, heads.padded, rows, dim,
               head_at(static_cast<T*>(args.grad_q), args.grad_q_layout, batch, head, dim),
               args.grad_q_layout.row_stride);
}

template <class T>
void backward_group(const AttentionBackwardArgs& args, int64_t batch, int64_t kv_head,
                    Accumulator<T>* scratch) {
    using A = Accumulator<T>;
    const AttentionShape& shape = args.shape;
    const int64_t dim = shape.head_dim;
    const int64_t rows = shape.query_len;
    const int64_t stride = args.kv_layout.row_stride;
    Heads<A> heads(scratch, shape);
    if (args.document_begins != nullptr) heads.begins = args.document_begins + batch * rows;
    load_head(head_at(static_cast<const T*>(args.k), args.kv_layout, batch, kv_head, dim), stride,
              rows, dim, heads.length, heads.padded, heads.key);
    load_head(head_at(static_cast<const T*>(args.v), args.kv_layout, batch, kv_head, dim), stride,
              rows, dim, heads.length, heads.padded, heads.value);
    std::fill(heads.grad_key, heads.grad_key + heads.length * heads.padded, A{0});
    std::fill(heads.grad_value, heads.grad_value + heads.length * heads.padded, A{0});
    const int64_t group = shape.num_heads / shape.num_kv_heads;
    for (int64_t head = kv_head * group; head < (kv_head + 1) * group; ++head) {
        backward_head<T, A>(args, batch, head, heads);
    }
    const int64_t grad_stride = args.grad_kv_layout.row_stride;
    store_head(heads.grad_key, heads.padded, rows, dim,
               head_at(static_cast<T*>(args.grad_k), args.grad_kv_layout, batch, kv_head, dim),
               grad_stride);
    store_head(heads.grad_value, heads.padded, rows, dim,
               head_at(static_cast<T*>(args.grad_v), args.grad_kv_layout, batch, kv_head, dim),
               grad_stride);
}

void attention_backward_group(const AttentionBackwardArgs& args, int64_t task, int worker) {
    cpu::with_type(args.shape.dtype, "attention", [&](auto tag) {
        using T = typename decltype(tag)::Type;
        using A = Accumulator<T>;
        A* scratch =
            static_cast<A*>(args.scratch) + worker * cpu::attention_backward_elements(args.shape);
        backward_group<T>(args, task / args.shape.num_kv_heads, task % args.shape.num_kv_heads,
                          scratch);
    });
}

}  // namespace
}  // namespace longhaul::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::kernels::cpu {

HWY_EXPORT(attention_backward_group);

void attention_backward(Stream&, const AttentionBackwardArgs& args) {
    check_attention(args.shape, args.scratch_bytes, true);
    LH_CHECK(args.shape.first_query == 0 && args.shape.key_len == args.shape.query_len,
             "attention backward: {} queries from {} with {} keys", args.shape.query_len,
             args.shape.first_query, args.shape.key_len);
    parallel_for_workers(args.shape.batch * args.shape.num_kv_heads, 1,
                         [&](int worker, int64_t task, int64_t) {
                             HWY_DYNAMIC_DISPATCH(attention_backward_group)(args, task, worker);
                         });
}

}  // namespace longhaul::kernels::cpu
#endif
