// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// LH_CUDA: a checked call of the CUDA runtime. For files that are built with CUDA only; no fmt in
// here, because nvcc compiles it.

#include <cuda_runtime_api.h>

namespace longhaul::gpu::detail {

/// Clears the runtime's last error, then @throws GpuError "CALL: cudaErrorX: text (file:line)".
[[noreturn]] void throw_cuda_error(cudaError_t error, const char* call, const char* file, int line);

}  // namespace longhaul::gpu::detail

// NOLINTBEGIN(cppcoreguidelines-macro-usage): need the text and place of the call.
#define LH_CUDA(call) LH_CUDA_NAMED(call, #call)
#define LH_CUDA_NAMED(call, name)                                                               \
    do {                                                                                        \
        const cudaError_t lh_cuda_error = (call);                                               \
        if (lh_cuda_error != cudaSuccess) {                                                     \
            ::longhaul::gpu::detail::throw_cuda_error(lh_cuda_error, name, __FILE__, __LINE__); \
        }                                                                                       \
    } while (false)
// NOLINTEND(cppcoreguidelines-macro-usage)
