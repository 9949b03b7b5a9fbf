// SPDX-License-Identifier: BSD-3-Clause
#include "lib/gpu/cuda_check.h"

#include "lib/base/error.h"

namespace longhaul::gpu::detail {

void throw_cuda_error(cudaError_t error, const char* call, const char* file, int line) {
    cudaGetLastError();  // a later check must not report this error again
    throw GpuError(format("{}: {}: {} ({}:{})", call, cudaGetErrorName(error),
                          cudaGetErrorString(error), file, line));
}

}  // namespace longhaul::gpu::detail
