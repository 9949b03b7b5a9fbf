// SPDX-License-Identifier: BSD-3-Clause
// Attention forward: one task is one tile of queries of one head; it walks the keys up to the
// diagonal with a running maximum and sum (FlashAttention, algorithm 1).

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/attention.h"
#include "kernels/cpu/attention_scratch.h"
#include "kernels/cpu/dtype_switch.h"
#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/attention_forward.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/attention_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::kernels::HWY_NAMESPACE {
namespace {

template <class A>
struct Tiles {
    A *rows, *query_t, *key, *value, *out, *score_t, *maximum, *sum, *shrink;
    Tiles(A* scratch, int64_t padded) {
        Cursor<A> cursor(scratch);
        query_t = cursor.take(kTile * padded);
        rows = cursor.take(kTile * padded);
        key = rows;  // the query tile is transposed before the first key tile arrives
        value = cursor.take(kTile * padded);
        out = cursor.take(kTile * padded);
        score_t = cursor.take(kTile * kTile);
        maximum = cursor.take(kTile);
        sum = cursor.take(kTile);
        shrink = cursor.take(kTile);
    }
};

/// Queries of a tile that are computed: whole register tiles, few for a short continuation.
inline int64_t computed_queries(int64_t rows) {
    return cpu::round_up(rows, cpu::kAttentionPad);
}

/// Keys that are in the future of a query get -inf. Query i is at `diagonal` + i relative to key 0
/// of the tile.
template <class A>
void mask_future(A* score_t, int64_t num_keys, int64_t diagonal) {
    for (int64_t key = 0; key < num_keys; ++key) {
        const int64_t hidden = std::clamp<int64_t>(key - diagonal, 0, kTile);
        std::fill(score_t + key * kTile, score_t + key * kTile + hidden,
                  -std::numeric_limits<A>::infinity());
    }
}

/// Scores become exponentials; maximum and sum are updated; shrink is the factor for what was
/// summed before.
template <class A>
void update_softmax(Tiles<A>& tiles, int64_t num_queries, int64_t num_keys) {
    const Tag<A> d;
    const auto width = static_cast<int64_t>(hn::Lanes(d));
    for (int64_t i = 0; i < num_queries; i += width) {
        const auto old_max = hn::LoadU(d, tiles.maximum + i);
        auto new_max = old_max;
        for (int64_t key = 0; key < num_keys; ++key) {
            new_max = hn::Max(new_max, hn::LoadU(d, tiles.score_t + key * kTile + i));
        }
        const auto shrink = exponential(d, hn::Sub(old_max, new_max));
        auto sum = hn::Mul(hn::LoadU(d, tiles.sum + i), shrink);
        for (int64_t key = 0; key < num_keys; ++key) {
            A* at = tiles.score_t + key * kTile + i;
            const auto e = exponential(d, hn::Sub(hn::LoadU(d, at), new_max));
            hn::StoreU(e, d, at);
            sum = hn::Add(sum, e);
        }
        hn::StoreU(new_max, d, tiles.maximum + i);
        hn::StoreU(sum, d, tiles.sum + i);
        hn::StoreU(shrink, d, tiles.shrink + i);
    }
}

/// out[row] *= factor[row].
template <class A>
void scale_rows(A* out, const A* factor, int64_t rows, int64_t padded) {
    const Tag<A> d;
    for (int64_t row = 0; row < rows; ++row) {
        const auto f = hn::Set(d, factor[row]);
        for_lanes(d, padded, [&](auto lanes, int64_t i) {
            A* at = out + row * padded + i;
            lanes.put(d, hn::Mul(lanes.get(d, at), f), at);
        });
    }
}

template <class T, class A>
void write_tile(const AttentionForwardArgs& args, Tiles<A>& tiles, int64_t batch, int64_t head,
                int64_t first, int64_t rows) {
    const AttentionShape& shape = args.shape;
    const int64_t padded = cpu::round_up(shape.head_dim, cpu::kAttentionPad);
    for (int64_t i = 0; i < rows; ++i) tiles.shrink[i] = A{1} / tiles.sum[i];
    scale_rows(tiles.out, tiles.shrink, rows, padded);
    T* out = head_at(static_cast<T*>(args.out), args.out_layout, batch, head, shape.head_dim);
    store_head(tiles.out, padded, rows, shape.head_dim, out + first * args.out_layout.row_stride,
               args.out_layout.row_stride);
    if (args.lse == nullptr) return;
    A* lse = static_cast<A*>(args.lse) + (batch * shape.num_heads + head) * shape.query_len + first;
    for (int64_t i = 0; i < rows; ++i) lse[i] = tiles.maximum[i] + std::log(tiles.sum[i]);
}

template <class T>
void forward_tile(const AttentionForwardArgs& args, int64_t batch, int64_t head, int64_t first,
                  Accumulator<T>* scratch) {
    using A = Accumulator<T>;
    const AttentionShape& shape = args.shape;
    const int64_t dim = shape.head_dim;
    const int64_t padded = cpu::round_up(dim, cpu::kAttentionPad);
    const int64_t rows = std::min(kTile, shape.query_len - first);
    const int64_t queries = computed_queries(rows);
    const int64_t kv_head = head / (shape.num_heads / shape.num_kv_heads);
    const T* q = head_at(static_cast<const T*>(args.q), args.q_layout, batch, head, dim);
    const T* k = head_at(static_cast<const T*>(args.k), args.kv_layout, batch, kv_head, dim);
    const T* v = head_at(static_cast<const T*>(args.v), args.kv_layout, batch, kv_head, dim);
    Tiles<A> tiles(scratch, padded);
    load_head(q + first * args.q_layout.row_stride, args.q_layout.row_stride, rows, dim, kTile,
              padded, tiles.rows);
    transpose_tile(tiles.rows, padded, dim, static_cast<A>(args.scale), tiles.query_t);
    std::fill(tiles.out, tiles.out + kTile * padded, A{0});
    // Finite, so that a query without a visible key so far has exponentials of 0 and not NaN.
    std::fill(tiles.maximum, tiles.maximum + kTile, std::numeric_limits<A>::lowest());
    std::fill(tiles.sum, tiles.sum + kTile, A{0});
    const int64_t key_end = shape.first_query + first + rows;
    const int64_t kv_stride = args.kv_layout.row_stride;
    const int32_t* begins = args.document_begins == nullptr
                                ? nullptr
                                : args.document_begins + batch * shape.query_len + first;
    const int64_t first_tile = begins == nullptr ? 0 : begins[0] / kTile * kTile;
    for (int64_t s = first_tile; s < key_end; s += kTile) {
        const int64_t num_keys = std::min(kTile, key_end - s);
        load_head(k + s * kv_stride, kv_stride, num_keys, dim, kTile, padded, tiles.key);
        load_head(v + s * kv_stride, kv_stride, num_keys, dim, kTile, padded, tiles.value);
        multiply_block<A>(kTile, queries, dim, {tiles.key, padded, 1}, tiles.query_t, kTile,
                          tiles.score_t, kTile, false);
        mask_future(tiles.score_t, num_keys, shape.first_query + first - s);
        if (begins != nullptr) mask_other_documents(tiles.score_t, num_keys, begins, rows, s);
        update_softmax(tiles, queries, num_keys);
        scale_rows(tiles.out, tiles.shrink, queries, padded);
        multiply_block<A>(queries, padded, num_keys, {tiles.score_t, 1, kTile}, tiles.value, padded,
                          tiles.out, padded, true);
    }
    write_tile<T, A>(args, tiles, batch, head, first, rows);
}

void attention_forward_tile(const AttentionForwardArgs& args, int64_t task, int worker) {
    cpu::with_type(args.shape.dtype, "attention", [&](auto tag) {
        using T = typename decltype(tag)::Type;
        using A = Accumulator<T>;
        const int64_t tiles = (args.shape.query_len + kTile - 1) / kTile;
        const int64_t head_index = task / tiles;
        A* scratch =
            static_cast<A*>(args.scratch) + worker * cpu::attention_forward_elements(args.shape);
        forward_tile<T>(args, head_index / args.shape.num_heads, head_index % args.shape.num_heads,
                        task % tiles * kTile, scratch);
    });
}

}  // namespace
}  // namespace longhaul::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::kernels::cpu {

HWY_EXPORT(attention_forward_tile);

size_t attention_scratch_bytes(const AttentionShape& shape, bool backward) {
    const int64_t elements =
        backward ? attention_backward_elements(shape) : attention_forward_elements(shape);
    const size_t size = shape.dtype == tensor::DType::kF64 ? sizeof(double) : sizeof(float);
    return static_cast<size_t>(max_threads() * elements) * size;
}

void check_attention(const AttentionShape& shape, size_t scratch_bytes, bool backward) {
    LH_CHECK(shape.num_kv_heads > 0 && shape.num_heads % shape.num_kv_heads == 0,
             "attention: {} key heads do not divide {} heads", shape.num_kv_heads, shape.num_heads);
    LH_CHECK(shape.key_len >= shape.first_query + shape.query_len,
             "attention: {} keys for queries up to position {}", shape.key_len,
             shape.first_query + shape.query_len);
    const size_t needed = attention_scratch_bytes(shape, backward);
    LH_CHECK(scratch_bytes >= needed,
             "attention: {} bytes of scratch, {} needed (were threads added since?)", scratch_bytes,
             needed);
}

void attention_forward(Stream&, const AttentionForwardArgs& args) {
    const AttentionShape& shape = args.shape;
    check_attention(shape, args.scratch_bytes, false);
    LH_CHECK(args.document_begins == nullptr || shape.first_query == 0,
             "attention: documents in a sequence that continues at position {}", shape.first_query);
    const int64_t tiles = (shape.query_len + kAttentionTile - 1) / kAttentionTile;
    parallel_for_workers(shape.batch * shape.num_heads * tiles, 1,
                         [&](int worker, int64_t task, int64_t) {
                             HWY_DYNAMIC_DISPATCH(attention_forward_tile)(args, task, worker);
                         });
}

}  // namespace longhaul::kernels::cpu
#endif
