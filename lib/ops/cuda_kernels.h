// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The CUDA kernels that exist, as pointers: cuda_kernels.cpp fills them where the build has nvcc,
// cuda_none.cpp leaves them null.

#include "kernels/adamw.h"
#include "kernels/cross_entropy.h"
#include "kernels/rmsnorm.h"

namespace longhaul::ops {

template <class Args>
using Kernel = void (*)(kernels::Stream&, const Args&);

struct CudaKernels {
    Kernel<kernels::AdamWArgs> adamw = nullptr;
    Kernel<kernels::CrossEntropyArgs> cross_entropy = nullptr;
    Kernel<kernels::RmsNormForwardArgs> rmsnorm_forward = nullptr;
    Kernel<kernels::RmsNormBackwardArgs> rmsnorm_backward = nullptr;
    size_t (*rmsnorm_backward_scratch_bytes)(tensor::DType, int64_t, int64_t) = nullptr;
};

const CudaKernels& cuda_kernels();

}  // namespace longhaul::ops
