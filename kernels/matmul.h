// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Matrix product of row-major matrices with row strides:
//   C (M, N) = op(A) (M, K) op(B) (K, N) + bias (N) [+ C]
//
// Types: A, B and bias are `dtype` (f32, bf16 or f64); C is `dtype` or the accumulator type (f32,
// for f64 inputs f64), in which all sums are formed. C overlaps no input. bias excludes
// `accumulate`. No alignment beyond the natural one. Determinism: kFixedOrder sums every element in
// order of k, so its bits depend on neither threads nor M nor N; kFastest is bit-equal for equal
// arguments, threads and CPU only (oneDNN chooses its blocking from them). f64 is always
// kFixedOrder: oneDNN has none.

#include <cstdint>

#include "kernels/stream.h"
#include "lib/tensor/dtype.h"

namespace longhaul::kernels {

enum class MatmulOrder : uint8_t { kFastest, kFixedOrder };

struct MatmulArgs {
    tensor::DType dtype = tensor::DType::kF32;      // of A, B and bias
    tensor::DType out_dtype = tensor::DType::kF32;  // of C
    int64_t m = 0, n = 0, k = 0;
    bool transpose_a = false;  // A is stored (K, M)
    bool transpose_b = false;  // B is stored (N, K)
    const void* a = nullptr;
    const void* b = nullptr;
    void* c = nullptr;
    int64_t lda = 0, ldb = 0, ldc = 0;  // row strides in elements, of the matrices as stored
    const void* bias = nullptr;         // (N), or null
    bool accumulate = false;            // add to C
    MatmulOrder order = MatmulOrder::kFastest;
};

namespace cpu {
/// Holds per calling thread: oneDNN primitives by shape (created at a shape's first use, some
/// milliseconds) and one buffer of packed panels. No signal handler may run on the calling thread
/// meanwhile, unless on a stack of its own (see lib/train/notice.h).
/// @throws Error when oneDNN refuses the arguments.
void matmul(Stream& stream, const MatmulArgs& args);
}  // namespace cpu

namespace cuda {
void matmul(Stream& stream, const MatmulArgs& args);
}

}  // namespace longhaul::kernels
