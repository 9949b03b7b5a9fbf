// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The two ways in which kernels::cuda::matmul() multiplies. Arguments have been checked.

#include "kernels/matmul.h"

namespace longhaul::kernels::cuda {

/// Our own kernel (matmul_fixed.cu): every sum in order of k, so bits depend on K alone. All types.
/// It reads operands through shared memory without tensor cores: a few percent of cuBLASLt's speed.
void matmul_fixed_order(Stream& stream, const MatmulArgs& args);

/// cuBLASLt (matmul_cublaslt.cpp, or matmul_none.cpp where its header is missing). f32 inputs are
/// multiplied in f32, not TF32.
void matmul_cublaslt(Stream& stream, const MatmulArgs& args);
/// Whether cuBLASLt has such a product; the rest goes to matmul_fixed_order().
bool cublaslt_supports(const MatmulArgs& args);

}  // namespace longhaul::kernels::cuda
