// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The one way to start a kernel: on an explicit stream, checked, with the op named in the error.

#include <cstddef>

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/require.h"
#include "kernels/stream.h"
#if defined(__CUDACC__)
#include "lib/gpu/cuda_check.h"
#endif

namespace longhaul::kernels::cuda {

struct LaunchShape {
    int64_t num_blocks = 0;
    int block_size = 0;       // threads, a multiple of 32, at most 1024
    size_t shared_bytes = 0;  // dynamic shared memory, read by dynamic_shared()
};

inline constexpr int64_t kMaxGrid = 0x7FFFFFFF;
/// More dynamic shared memory than this needs an opt-in for each kernel (all architectures).
inline constexpr size_t kSharedBytesWithoutOptIn = 48 * 1024;
/// What an SM of compute capability 8.0 offers one block: the smallest of those we build for.
inline constexpr size_t kMaxSharedBytes = 163 * 1024;

/// The block's dynamic shared memory, 16-byte aligned. One a kernel.
template <class T>
__device__ __forceinline__ T* dynamic_shared() {
#if defined(__CUDACC__)
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    return reinterpret_cast<T*>(shared_bytes);
#else
    return static_cast<T*>(host_cuda::dynamic_shared());
#endif
}

/// Starts kernel(arguments...). Nothing is started when the shape has no blocks.
/// @throws GpuError when the launch is refused; a fault of the kernel itself is seen at a later
/// sync.
template <class... Parameters, class... Arguments>
void launch(const char* op, void (*kernel)(Parameters...), const LaunchShape& shape, Stream& stream,
            const Arguments&... arguments) {
    static_assert(sizeof...(Parameters) == sizeof...(Arguments));
    require(stream.device() == Device::kCuda, op, "called with a CPU stream");
    require(shape.num_blocks <= kMaxGrid, op, "more than 2^31 - 1 blocks");
    require(shape.shared_bytes <= kMaxSharedBytes, op, "a row does not fit into shared memory");
    if (shape.num_blocks == 0) return;
    const auto num_blocks = static_cast<unsigned>(shape.num_blocks);
    const auto block_size = static_cast<unsigned>(shape.block_size);
#if defined(__CUDACC__)
    if (shape.shared_bytes > kSharedBytesWithoutOptIn) {
        LH_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(shape.shared_bytes)));
    }
    kernel<<<num_blocks, block_size, shape.shared_bytes,
             static_cast<cudaStream_t>(stream.native())>>>(static_cast<Parameters>(arguments)...);
    LH_CUDA_NAMED(cudaGetLastError(), op);
#else
    host_cuda::launch(op, kernel, {{num_blocks}, {block_size}, shape.shared_bytes}, stream.native(),
                      static_cast<Parameters>(arguments)...);
#endif
}

template <class T>
struct TypeTag {
    using Type = T;
};

/// Calls body(TypeTag<T>{}) with the C++ type of `dtype`: float, double or BFloat16.
template <class Body>
void with_float_type(tensor::DType dtype, const char* op, const Body& body) {
    switch (dtype) {
        case tensor::DType::kF32:
            return body(TypeTag<float>{});
        case tensor::DType::kF64:
            return body(TypeTag<double>{});
        case tensor::DType::kBF16:
            return body(TypeTag<BFloat16>{});
        default:
            unsupported_dtype(dtype, op);
    }
}

/// Blocks of `per_block` items that cover `count` items.
constexpr int64_t blocks_for(int64_t count, int64_t per_block) {
    return (count + per_block - 1) / per_block;
}

}  // namespace longhaul::kernels::cuda
