// SPDX-License-Identifier: BSD-3-Clause
// The matrix micro-kernel of our own GEMM and of attention: a register tile of kTileRows x
// kTileVectors vectors. Every element of C is one chain of fused multiply-adds in order of k, so a
// result depends neither on where a tile begins nor on threads.
// Source of the blocking: Goto and van de Geijn, "Anatomy of high-performance matrix
// multiplication", ACM TOMS 34(3), 2008; tile sizes: 16 accumulators of 32 registers hide the
// latency of two FMA pipes (AVX-512), 8 of 16 elsewhere.

#if defined(LH_KERNELS_CPU_GEMM_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LH_KERNELS_CPU_GEMM_TILE_INL_H_
#undef LH_KERNELS_CPU_GEMM_TILE_INL_H_
#else
#define LH_KERNELS_CPU_GEMM_TILE_INL_H_
#endif

#include <cstdint>

#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::kernels::HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX3
inline constexpr int64_t kTileRows = 8;
#else
inline constexpr int64_t kTileRows = 4;
#endif
inline constexpr int64_t kTileVectors = 2;

template <class A>
int64_t tile_columns() {
    return kTileVectors * static_cast<int64_t>(hn::Lanes(Tag<A>()));
}

/// A matrix whose element (i, k) is data[i * row_stride + k * column_stride].
template <class A>
struct Strided {
    const A* data;
    int64_t row_stride;
    int64_t column_stride;
    const A* at(int64_t row, int64_t column) const {
        return data + row * row_stride + column * column_stride;
    }
};

/// C (kTileRows x tile_columns, row stride ldc) = [C +] A (kTileRows x depth) B (depth x
/// tile_columns, row stride ldb).
template <class A>
HWY_INLINE void multiply_tile(int64_t depth, Strided<A> a, const A* HWY_RESTRICT b, int64_t ldb,
                              A* HWY_RESTRICT c, int64_t ldc, bool accumulate) {
    const Tag<A> d;
    const auto width = static_cast<int64_t>(hn::Lanes(d));
    hn::Vec<Tag<A>> sum[kTileRows][kTileVectors];
#pragma GCC unroll 8
    for (int64_t i = 0; i < kTileRows; ++i) {
#pragma GCC unroll 2
        for (int64_t j = 0; j < kTileVectors; ++j) {
            sum[i][j] = accumulate ? hn::LoadU(d, c + i * ldc + j * width) : hn::Zero(d);
        }
    }
    for (int64_t k = 0; k < depth; ++k) {
        const auto b0 = hn::LoadU(d, b + k * ldb);
        const auto b1 = hn::LoadU(d, b + k * ldb + width);
#pragma GCC unroll 8
        for (int64_t i = 0; i < kTileRows; ++i) {
            const auto value = hn::Set(d, *a.at(i, k));
            sum[i][0] = hn::MulAdd(value, b0, sum[i][0]);
            sum[i][1] = hn::MulAdd(value, b1, sum[i][1]);
        }
    }
#pragma GCC unroll 8
    for (int64_t i = 0; i < kTileRows; ++i) {
#pragma GCC unroll 2
        for (int64_t j = 0; j < kTileVectors; ++j) {
            hn::StoreU(sum[i][j], d, c + i * ldc + j * width);
        }
    }
}

/// The same for rows x columns that are multiples of the tile.
template <class A>
void multiply_block(int64_t rows, int64_t columns, int64_t depth, Strided<A> a,
                    const A* HWY_RESTRICT b, int64_t ldb, A* HWY_RESTRICT c, int64_t ldc,
                    bool accumulate) {
    const int64_t step = tile_columns<A>();
    for (int64_t j = 0; j < columns; j += step) {
        for (int64_t i = 0; i < rows; i += kTileRows) {
            multiply_tile<A>(depth, {a.at(i, 0), a.row_stride, a.column_stride}, b + j, ldb,
                             c + i * ldc + j, ldc, accumulate);
        }
    }
}

}  // namespace longhaul::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
