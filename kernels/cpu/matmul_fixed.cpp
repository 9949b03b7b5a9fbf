// SPDX-License-Identifier: BSD-3-Clause
// Blocked GEMM with a fixed order of summation. One task computes one kBlockRows x kBlockColumns
// block of C over all of K: it packs its panels of A and B (converting bf16), so tasks share
// nothing.

#include "kernels/cpu/matmul_fixed.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/simd_targets.h"
#include "lib/base/check.h"
#include "lib/tensor/dtype.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/matmul_fixed.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/gemm_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::kernels::HWY_NAMESPACE {
namespace {

using tensor::BFloat16;

// Packed panels of A and B together stay within a 1 MiB second-level cache for f64.
constexpr int64_t kBlockRows = 128;
constexpr int64_t kBlockColumns = 256;
constexpr int64_t kBlockDepth = 256;

inline double widen(double value) {
    return value;
}
inline float widen(float value) {
    return value;
}
inline float widen(BFloat16 value) {
    return tensor::to_float(value);
}
inline void narrow(double value, double& to) {
    to = value;
}
inline void narrow(float value, float& to) {
    to = value;
}
inline void narrow(float value, BFloat16& to) {
    to = tensor::to_bf16(value);
}

/// Panels of kTileRows rows: packed[panel][k][row], zeros beyond `rows`. The inner loop runs along
/// the direction in which A is contiguous.
template <class T, class A>
void pack_a(Strided<T> a, int64_t rows, int64_t depth, A* packed) {
    for (int64_t i0 = 0; i0 < rows; i0 += kTileRows, packed += kTileRows * depth) {
        const int64_t valid = std::min(kTileRows, rows - i0);
        if (valid < kTileRows) std::fill(packed, packed + kTileRows * depth, A{0});
        if (a.row_stride == 1) {
            for (int64_t k = 0; k < depth; ++k) {
                const T* from = a.at(i0, k);
                for (int64_t i = 0; i < valid; ++i) packed[k * kTileRows + i] = widen(from[i]);
            }
        } else {
            for (int64_t i = 0; i < valid; ++i) {
                const T* from = a.at(i0 + i, 0);
                for (int64_t k = 0; k < depth; ++k) {
                    packed[k * kTileRows + i] = widen(from[k * a.column_stride]);
                }
            }
        }
    }
}

/// Panels of `width` columns: packed[panel][k][column], zeros beyond `columns`.
template <class T, class A>
void pack_b(Strided<T> b, int64_t columns, int64_t depth, int64_t width, A* packed) {
    for (int64_t j0 = 0; j0 < columns; j0 += width, packed += width * depth) {
        const int64_t valid = std::min(width, columns - j0);
        if (b.column_stride == 1) {
            for (int64_t k = 0; k < depth; ++k) {
                const T* from = b.at(k, j0);
                A* to = packed + k * width;
                for (int64_t j = 0; j < valid; ++j) to[j] = widen(from[j]);
                for (int64_t j = valid; j < width; ++j) to[j] = 0;
            }
        } else {
            for (int64_t j = 0; j < width; ++j) {
                const T* from = j < valid ? b.at(0, j0 + j) : nullptr;
                for (int64_t k = 0; k < depth; ++k) {
                    packed[k * width + j] = j < valid ? widen(from[k * b.row_stride]) : A{0};
                }
            }
        }
    }
}

template <class A>
struct Panels {
    std::vector<A> a, b, c;
    Panels()
        : a(kBlockRows * kBlockDepth),
          b(kBlockColumns * kBlockDepth),
          c(kBlockRows * kBlockColumns) {}
};

/// The block of C that begins at (row, column), into panels.c with row stride kBlockColumns.
template <class T, class A>
void multiply_packed(const MatmulArgs& args, int64_t row, int64_t column, Panels<A>& panels) {
    const int64_t rows = std::min(kBlockRows, args.m - row);
    const int64_t columns = std::min(kBlockColumns, args.n - column);
    const int64_t width = tile_columns<A>();
    const Strided<T> a{static_cast<const T*>(args.a), args.transpose_a ? 1 : args.lda,
                       args.transpose_a ? args.lda : 1};
    const Strided<T> b{static_cast<const T*>(args.b), args.transpose_b ? 1 : args.ldb,
                       args.transpose_b ? args.ldb : 1};
    for (int64_t k = 0; k < args.k; k += kBlockDepth) {
        const int64_t depth = std::min(kBlockDepth, args.k - k);
        pack_a<T, A>({a.at(row, k), a.row_stride, a.column_stride}, rows, depth, panels.a.data());
        pack_b<T, A>({b.at(k, column), b.row_stride, b.column_stride}, columns, depth, width,
                     panels.b.data());
        for (int64_t j = 0; j < columns; j += width) {
            for (int64_t i = 0; i < rows; i += kTileRows) {
                multiply_tile<A>(depth, {panels.a.data() + i * depth, 1, kTileRows},
                                 panels.b.data() + j * depth, width,
                                 panels.c.data() + i * kBlockColumns + j, kBlockColumns, k > 0);
            }
        }
    }
}

/// C += block, or C = block + bias.
template <class T, class C, class A>
void write_block(const MatmulArgs& args, int64_t row, int64_t column, const A* block) {
    const int64_t rows = std::min(kBlockRows, args.m - row);
    const int64_t columns = std::min(kBlockColumns, args.n - column);
    const T* bias = args.bias == nullptr ? nullptr : static_cast<const T*>(args.bias) + column;
    for (int64_t i = 0; i < rows; ++i, block += kBlockColumns) {
        C* to = static_cast<C*>(args.c) + (row + i) * args.ldc + column;
        for (int64_t j = 0; j < columns; ++j) {
            A value = args.k > 0 ? block[j] : A{0};
            if (bias != nullptr) value += widen(bias[j]);
            if (args.accumulate) value += widen(to[j]);
            narrow(value, to[j]);
        }
    }
}

template <class T, class C>
void multiply(const MatmulArgs& args) {
    using A = Accumulator<T>;
    const int64_t block_rows = (args.m + kBlockRows - 1) / kBlockRows;
    const int64_t block_columns = (args.n + kBlockColumns - 1) / kBlockColumns;
    cpu::parallel_for(block_rows * block_columns, 1, [&](int64_t task, int64_t) {
        thread_local Panels<A> panels;
        const int64_t row = task % block_rows * kBlockRows;
        const int64_t column = task / block_rows * kBlockColumns;
        multiply_packed<T, A>(args, row, column, panels);
        write_block<T, C, A>(args, row, column, panels.c.data());
    });
}

void multiply_any(const MatmulArgs& args) {
    using tensor::DType;
    const bool wide = args.out_dtype != args.dtype;
    switch (args.dtype) {
        case DType::kF64:
            return multiply<double, double>(args);
        case DType::kF32:
            return multiply<float, float>(args);
        default:
            return wide ? multiply<BFloat16, float>(args) : multiply<BFloat16, BFloat16>(args);
    }
}

}  // namespace
}  // namespace longhaul::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::kernels::cpu {

HWY_EXPORT(multiply_any);

void matmul_fixed_order(const MatmulArgs& args) {
    HWY_DYNAMIC_DISPATCH(multiply_any)(args);
}

}  // namespace longhaul::kernels::cpu
#endif
