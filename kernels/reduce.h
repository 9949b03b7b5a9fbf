// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sums: over all elements (gradient norm) and over rows (gradient of a bias). Fixed order, hence
// bit-equal for any number of threads.

#include <cstdint>

#include "kernels/stream.h"
#include "lib/tensor/dtype.h"

namespace longhaul::kernels {

/// sum of x[i]^2, in f64, over fixed blocks of kSumBlock elements added in order: the sum over a
/// run is the sum of the same numbers whenever runs begin at multiples of kSumBlock.
inline constexpr int64_t kSumBlock = 4096;

struct SumSquaresArgs {
    tensor::DType dtype = tensor::DType::kF32;  // f32, f64 or bf16
    int64_t count = 0;
    const void* x = nullptr;  // (count)
    double* out = nullptr;    // one number, written
};

/// out[c] += sum over rows of x[row, c].
struct SumRowsArgs {
    tensor::DType dtype = tensor::DType::kF32;  // f32, f64 or bf16
    int64_t rows = 0;
    int64_t columns = 0;
    int64_t row_stride = 0;
    const void* x = nullptr;  // (rows, columns)
    void* out = nullptr;      // (columns), accumulator type (f32, for f64 f64), added to
};

namespace cpu {
void sum_squares(Stream& stream, const SumSquaresArgs& args);
void sum_rows(Stream& stream, const SumRowsArgs& args);
}  // namespace cpu

namespace cuda {
void sum_rows(Stream& stream, const SumRowsArgs& args);
}  // namespace cuda

}  // namespace longhaul::kernels
