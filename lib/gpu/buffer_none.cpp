// SPDX-License-Identifier: BSD-3-Clause
#include "lib/gpu/buffer.h"

#include "lib/base/error.h"
#include "lib/gpu/no_cuda.h"

namespace longhaul::gpu::detail {

void* allocate_device(size_t) {
    throw GpuError(kBuiltWithoutCuda);
}
void free_device(void*) noexcept {}
void* allocate_pinned(size_t) {
    throw GpuError(kBuiltWithoutCuda);
}
void free_pinned(void*) noexcept {}
void copy_async(void*, const void*, size_t, const CudaStream&) {
    throw GpuError(kBuiltWithoutCuda);
}
void fill_async(void*, int, size_t, const CudaStream&) {
    throw GpuError(kBuiltWithoutCuda);
}

}  // namespace longhaul::gpu::detail
