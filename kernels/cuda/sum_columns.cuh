// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// out[c] += sum over rows of term(row, c), without scratch memory and in a fixed order: a block
// owns 32 columns, its 16 warps take every 16th row, and their sums are added in order of the
// warps. With C columns only C / 32 blocks run: right for the gradients of biases and norms, not
// for narrow matrices.

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.cuh"

namespace longhaul::kernels::cuda {

inline constexpr int kSumColumns = 32;
inline constexpr int kSumWarps = 16;

/// A matrix as terms.
template <class T>
struct MatrixTerm {
    const T* matrix_RC;
    int64_t row_stride;

    __device__ __forceinline__ Accumulator<T> operator()(int64_t row, int64_t column) const {
        return widen(matrix_RC[row * row_stride + column]);
    }
};

template <class Term, class Acc>
__global__ void __launch_bounds__(kSumColumns* kSumWarps)
    sum_columns_kernel(Term term, int64_t rows, int64_t columns, Acc* out_C) {
    __shared__ Acc partial[kSumWarps][kSumColumns];
    const int lane = threadIdx.x % kSumColumns, warp = threadIdx.x / kSumColumns;
    const int64_t column = static_cast<int64_t>(blockIdx.x) * kSumColumns + lane;
    Acc total = 0;
    if (column < columns) {
        for (int64_t row = warp; row < rows; row += kSumWarps) total += term(row, column);
    }
    partial[warp][lane] = total;
    __syncthreads();
    if (warp > 0 || column >= columns) return;
    for (int other = 1; other < kSumWarps; ++other) total += partial[other][lane];
    out_C[column] += total;
}

template <class Term, class Acc>
void launch_sum_columns(const char* op, Stream& stream, const Term& term, int64_t rows,
                        int64_t columns, Acc* out) {
    launch(op, sum_columns_kernel<Term, Acc>,
           {blocks_for(columns, kSumColumns), kSumColumns * kSumWarps}, stream, term, rows, columns,
           out);
}

}  // namespace longhaul::kernels::cuda
