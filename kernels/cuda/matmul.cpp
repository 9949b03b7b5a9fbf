// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/cuda/matmul.h"

#include "kernels/cuda/require.h"

namespace longhaul::kernels::cuda {

namespace {

constexpr const char* kOp = "matmul";

void check(const MatmulArgs& args) {
    require(args.m >= 0 && args.n >= 0 && args.k >= 0, kOp, "sizes must be >= 0");
    require(args.lda >= (args.transpose_a ? args.m : args.k), kOp,
            "lda is shorter than a row of A");
    require(args.ldb >= (args.transpose_b ? args.k : args.n), kOp,
            "ldb is shorter than a row of B");
    require(args.ldc >= args.n, kOp, "ldc is shorter than a row of C");
    require(args.bias == nullptr || !args.accumulate, kOp, "bias excludes accumulate");
    const bool is_f64 = args.dtype == tensor::DType::kF64;
    const auto accumulator = is_f64 ? tensor::DType::kF64 : tensor::DType::kF32;
    require(args.out_dtype == args.dtype || args.out_dtype == accumulator, kOp,
            "the output is neither of the input type nor of the accumulator type");
}

}  // namespace

void matmul(Stream& stream, const MatmulArgs& args) {
    check(args);
    if (args.m == 0 || args.n == 0) return;
    require_buffer(args.c, tensor::size_of(args.out_dtype), kOp, "c");
    if (args.k > 0) {
        require_buffer(args.a, tensor::size_of(args.dtype), kOp, "a");
        require_buffer(args.b, tensor::size_of(args.dtype), kOp, "b");
    }
    require_optional_buffer(args.bias, tensor::size_of(args.dtype), kOp, "bias");
    const bool want_fixed = args.order == MatmulOrder::kFixedOrder || args.k == 0;
    if (want_fixed || !cublaslt_supports(args)) {
        matmul_fixed_order(stream, args);
    } else {
        matmul_cublaslt(stream, args);
    }
}

}  // namespace longhaul::kernels::cuda
