// SPDX-License-Identifier: BSD-3-Clause
#include "lib/gpu/buffer.h"

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/gpu/cuda_check.h"

namespace longhaul::gpu::detail {

void* allocate_device(size_t bytes) {
    if (bytes == 0) return nullptr;
    return with_context(
        [&] {
            void* memory = nullptr;
            LH_CUDA_NAMED(cudaMalloc(&memory, bytes), "cudaMalloc");
            return memory;
        },
        "allocating {} of device memory", human_bytes(bytes));
}

void free_device(void* memory) noexcept {
    if (memory != nullptr) cudaFree(memory);
}

void* allocate_pinned(size_t bytes) {
    if (bytes == 0) return nullptr;
    return with_context(
        [&] {
            void* memory = nullptr;
            LH_CUDA_NAMED(cudaMallocHost(&memory, bytes), "cudaMallocHost");
            return memory;
        },
        "allocating {} of page-locked host memory", human_bytes(bytes));
}

void free_pinned(void* memory) noexcept {
    if (memory != nullptr) cudaFreeHost(memory);
}

void copy_async(void* destination, const void* source, size_t bytes, const CudaStream& stream) {
    if (bytes == 0) return;
    LH_CUDA(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDefault,
                            static_cast<cudaStream_t>(stream.native())));
}

void fill_async(void* destination, int byte, size_t bytes, const CudaStream& stream) {
    if (bytes == 0) return;
    LH_CUDA(cudaMemsetAsync(destination, byte, bytes, static_cast<cudaStream_t>(stream.native())));
}

}  // namespace longhaul::gpu::detail
