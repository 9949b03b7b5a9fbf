// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the forward and backward kernels of attention share: tiles of 32 rows in shared memory, and
// the division of work. A block has 128 threads; four neighbouring lanes own one row of a tile,
// each lane every fourth element of a head and every fourth column of a tile of scores.

#include <type_traits>

#include "kernels/attention.h"
#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/reduce.cuh"

namespace longhaul::kernels::cuda::attention {

inline constexpr int kTile = 32;
inline constexpr int kLanesPerRow = 4;
inline constexpr int kThreads = kTile * kLanesPerRow;
inline constexpr int kScoresPerLane = kTile / kLanesPerRow;
inline constexpr int kScorePitch = kTile + 1;  // odd: no bank conflicts down a column
/// Heads are padded with zeros to this many elements, a template parameter, so that what a lane
/// owns stays in registers.
inline constexpr int kMaxWidth = 128;
/// Elements between rows of a tile in shared memory; odd, as above.
template <int kWidth>
inline constexpr int kPitch = kWidth + 1;

/// Sizes as 64-bit, with the index arithmetic that all kernels need.
struct Shape {
    int64_t query_len, key_len, first_query;
    int64_t num_heads, num_kv_heads, head_dim;

    __host__ __device__ int64_t group_size() const { return num_heads / num_kv_heads; }
    /// @param begin of the query's document.
    __device__ bool is_visible(int64_t query, int64_t key, int32_t begin) const {
        return query < query_len && key < key_len && key <= first_query + query && key >= begin;
    }
};

inline Shape shape_of(const AttentionShape& s) {
    return {s.query_len, s.key_len, s.first_query, s.num_heads, s.num_kv_heads, s.head_dim};
}

/// Begin of the document that a query belongs to; 0 without documents or beyond the last query.
__device__ inline int32_t begin_of(const int32_t* document_begins, int64_t batch, int64_t query,
                                   const Shape& shape) {
    if (document_begins == nullptr || query >= shape.query_len) return 0;
    return document_begins[batch * shape.query_len + query];
}

/// The rows of one head of one sequence.
template <class T>
struct Head {
    T* data;
    int64_t row_stride;

    __device__ T* row(int64_t index) const { return data + index * row_stride; }
};

template <class T>
__device__ Head<T> head_of(T* base, const HeadLayout& layout, int64_t batch, int64_t head,
                           int64_t head_dim) {
    return {base + batch * layout.batch_stride + head * head_dim, layout.row_stride};
}

/// tile[i][c] = rows[first + i][c] * factor; zero from `num_rows` and from the head's end on.
template <int kWidth, class T, class Acc>
__device__ void load_rows(Acc* tile, const Head<const T>& rows, int64_t first, int64_t num_rows,
                          const Shape& shape, Acc factor) {
    for (int i = threadIdx.x; i < kTile * kWidth; i += kThreads) {
        const int row = i / kWidth, c = i % kWidth;
        const bool is_inside = first + row < num_rows && c < shape.head_dim;
        tile[row * kPitch<kWidth> + c] =
            is_inside ? widen(rows.row(first + row)[c]) * factor : Acc{0};
    }
}

template <int kWidth, class Acc>
__device__ __forceinline__ Acc dot(const Acc* a, const Acc* b) {
    Acc sum = 0;
#pragma unroll 8
    for (int c = 0; c < kWidth; ++c) sum += a[c] * b[c];
    return sum;
}

/// sums[i] += sum over the tile's rows r of weights[r * weight_stride] * tile[r][4 i + lane].
template <int kWidth, class Acc>
__device__ __forceinline__ void add_weighted_rows(Acc (&sums)[kWidth / kLanesPerRow],
                                                  const Acc* weights, int weight_stride,
                                                  const Acc* tile, int lane) {
    for (int r = 0; r < kTile; ++r) {
        const Acc weight = weights[r * weight_stride];
#pragma unroll
        for (int i = 0; i < kWidth / kLanesPerRow; ++i) {
            sums[i] += weight * tile[r * kPitch<kWidth> + i * kLanesPerRow + lane];
        }
    }
}

/// Writes a lane's part of one row of a head.
template <int kWidth, class T, class Acc>
__device__ __forceinline__ void store_row(T* row, const Acc (&sums)[kWidth / kLanesPerRow],
                                          Acc factor, int lane, const Shape& shape) {
#pragma unroll
    for (int i = 0; i < kWidth / kLanesPerRow; ++i) {
        const int c = i * kLanesPerRow + lane;
        if (c < shape.head_dim) row[c] = narrow<T>(sums[i] * factor);
    }
}

/// Over the four lanes of a row, in a fixed order; every lane gets the result.
template <class Acc, class Op>
__device__ __forceinline__ Acc row_reduce(Acc value, Op op) {
    value = op(value, __shfl_xor_sync(kFullWarp, value, 1));
    return op(value, __shfl_xor_sync(kFullWarp, value, 2));
}

inline void check_shape(const char* op, const AttentionShape& s) {
    require(s.batch >= 0 && s.query_len >= 0 && s.num_kv_heads > 0 && s.num_heads > 0, op,
            "sizes must be >= 0 and heads > 0");
    require(s.num_heads % s.num_kv_heads == 0, op, "num_kv_heads must divide num_heads");
    require(s.first_query >= 0 && s.key_len >= s.first_query + s.query_len, op,
            "there are fewer keys than queries need");
    const int64_t widest = s.dtype == tensor::DType::kF64 ? kMaxWidth / 2 : kMaxWidth;
    require(s.head_dim > 0 && s.head_dim <= widest, op, "head_dim must be 1 to 128 (f64: 64)");
}

/// Calls body.template operator()<T, kWidth>() for the type and the padded width of heads.
template <class Body>
void with_type_and_width(const char* op, const AttentionShape& s, const Body& body) {
    with_float_type(s.dtype, op, [&](auto tag) {
        using T = typename decltype(tag)::Type;
        if (s.head_dim <= 32) return body.template operator()<T, 32>();
        if (s.head_dim <= 64) return body.template operator()<T, 64>();
        if constexpr (!std::is_same_v<T, double>) body.template operator()<T, kMaxWidth>();
    });
}

}  // namespace longhaul::kernels::cuda::attention
