// SPDX-License-Identifier: BSD-3-Clause
// A build without nvcc: no operation has a CUDA kernel.

#include "lib/ops/cuda_kernels.h"

namespace longhaul::ops {

const CudaKernels& cuda_kernels() {
    static const CudaKernels none;
    return none;
}

}  // namespace longhaul::ops
