// SPDX-License-Identifier: BSD-3-Clause
// Tiles of attention: loading operands into the accumulator type with zero padding, and scratch.
// Scores are held transposed, (key, query): then softmax runs down columns, lanes are queries, and
// the two products that follow need no packing (kernels/cpu/gemm_tile-inl.h reads A by scalars).

#if defined(LH_KERNELS_CPU_ATTENTION_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LH_KERNELS_CPU_ATTENTION_TILE_INL_H_
#undef LH_KERNELS_CPU_ATTENTION_TILE_INL_H_
#else
#define LH_KERNELS_CPU_ATTENTION_TILE_INL_H_
#endif

#include <cstdint>

#include "kernels/attention.h"
#include "kernels/cpu/attention_scratch.h"
#include "kernels/cpu/exp-inl.h"
#include "kernels/cpu/gemm_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::kernels::HWY_NAMESPACE {

inline constexpr int64_t kTile = cpu::kAttentionTile;

/// `rows` rows of a head, with `stride`, as padded_rows x padded_columns; zeros beyond.
template <class T, class A>
void load_head(const T* from, int64_t stride, int64_t rows, int64_t columns, int64_t padded_rows,
               int64_t padded_columns, A* to) {
    const Tag<A> d;
    for (int64_t row = 0; row < padded_rows; ++row, from += stride, to += padded_columns) {
        const int64_t valid = row < rows ? columns : 0;
        for_lanes(d, valid,
                  [&](auto lanes, int64_t i) { lanes.put(d, lanes.get(d, from + i), to + i); });
        for (int64_t i = valid; i < padded_columns; ++i) to[i] = 0;
    }
}

/// (kTile, columns) with row stride `stride` to (columns, kTile), times `factor`.
template <class A>
void transpose_tile(const A* from, int64_t stride, int64_t columns, A factor, A* to) {
    for (int64_t row = 0; row < kTile; ++row) {
        for (int64_t i = 0; i < columns; ++i) to[i * kTile + row] = from[row * stride + i] * factor;
    }
}

template <class T, class A>
void store_head(const A* from, int64_t padded_columns, int64_t rows, int64_t columns, T* to,
                int64_t stride) {
    const Tag<A> d;
    for (int64_t row = 0; row < rows; ++row, from += padded_columns, to += stride) {
        for_lanes(d, columns,
                  [&](auto lanes, int64_t i) { lanes.put(d, lanes.get(d, from + i), to + i); });
    }
}

/// Keys before the begin of a query's document get -inf. As begins do not decrease along the
/// queries, those that a key is hidden from are the last ones.
/// @param begins of the tile's `rows` queries.
template <class A>
void mask_other_documents(A* score_t, int64_t num_keys, const int32_t* begins, int64_t rows,
                          int64_t first_key) {
    int64_t visible = 0;  // to this many queries
    for (int64_t key = 0; key < num_keys; ++key) {
        while (visible < rows && begins[visible] <= first_key + key) ++visible;
        if (visible == rows) return;  // so are all later keys
        std::fill(score_t + key * kTile + visible, score_t + (key + 1) * kTile,
                  -std::numeric_limits<A>::infinity());
    }
}

template <class T>
T* head_at(T* base, HeadLayout layout, int64_t batch, int64_t head, int64_t head_dim) {
    return base + batch * layout.batch_stride + head * head_dim;
}

/// Hands out consecutive pieces of one thread's scratch.
template <class A>
class Cursor {
 public:
    explicit Cursor(A* next) : next_(next) {}
    A* take(int64_t count) {
        A* taken = next_;
        next_ += cpu::round_up(count, 16);
        return taken;
    }

 private:
    A* next_;
};

}  // namespace longhaul::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
