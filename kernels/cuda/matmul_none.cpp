// SPDX-License-Identifier: BSD-3-Clause
// CUDA without cuBLASLt's header: every product takes our own kernel.
#include "kernels/cuda/matmul.h"
#include "lib/base/error.h"

namespace longhaul::kernels::cuda {

bool cublaslt_supports(const MatmulArgs&) {
    return false;
}

void matmul_cublaslt(Stream&, const MatmulArgs&) {
    throw GpuError("matmul: built without cuBLASLt");
}

}  // namespace longhaul::kernels::cuda
