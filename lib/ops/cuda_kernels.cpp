// SPDX-License-Identifier: BSD-3-Clause
// A build with nvcc: the table of the CUDA kernels.

#include "lib/ops/cuda_kernels.h"

namespace longhaul::ops {

const CudaKernels& cuda_kernels() {
    static const CudaKernels kernels{
        kernels::cuda::adamw, kernels::cuda::cross_entropy, kernels::cuda::rmsnorm_forward,
        kernels::cuda::rmsnorm_backward, kernels::cuda::rmsnorm_backward_scratch_bytes};
    return kernels;
}

}  // namespace longhaul::ops
