// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What every kernel file includes first: the CUDA language, 16-byte vectors, conversions and math.
// The same .cu files are compiled by nvcc, and for tests by the host compiler with
// tests/gpu/host_cuda/host_cuda.h included first, which supplies the language on the CPU. Rules
// that make this work: dynamic_shared() instead of extern __shared__, launch() of launch.cuh
// instead of
// <<<>>>, block sizes that are multiples of 32, PTX only in one-instruction functions with a twin.

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#define LH_ASSERT_ALIGNED(pointer, bytes) static_cast<void>(0)
#elif !defined(LH_HOST_CUDA)
#error "compile .cu files with nvcc, or for tests with -include tests/gpu/host_cuda/host_cuda.h"
#endif

#include <cstdint>

#include "lib/tensor/dtype.h"

namespace longhaul::kernels::cuda {

using tensor::BFloat16;

/// The type in which sums over elements of T are formed.
template <class T>
struct AccumulatorOf {
    using Type = float;
};
template <>
struct AccumulatorOf<double> {
    using Type = double;
};
template <class T>
using Accumulator = typename AccumulatorOf<T>::Type;

__device__ __forceinline__ float widen(BFloat16 value) {
    return tensor::to_float(value);
}
__device__ __forceinline__ float widen(float value) {
    return value;
}
__device__ __forceinline__ double widen(double value) {
    return value;
}

/// Rounds to nearest even. On the GPU bf16 is one instruction (sm_80 and newer), equal to
/// to_bf16().
template <class T>
__device__ __forceinline__ T narrow(Accumulator<T> value) {
    return value;
}
template <>
__device__ __forceinline__ BFloat16 narrow<BFloat16>(float value) {
#if defined(__CUDA_ARCH__)
    BFloat16 result;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
    return result;
#else
    return tensor::to_bf16(value);
#endif
}

/// 16 bytes of elements: one load or store instruction.
template <class T>
struct alignas(16) Vector {
    static constexpr int kSize = 16 / sizeof(T);
    T element[kSize];
};

/// @param index in vectors; `base` is 16-byte aligned.
template <class T>
__device__ __forceinline__ Vector<T> load_vector(const T* base, int64_t index) {
    LH_ASSERT_ALIGNED(base, 16);
    return reinterpret_cast<const Vector<T>*>(base)[index];
}
template <class T>
__device__ __forceinline__ void store_vector(T* base, int64_t index, const Vector<T>& vector) {
    LH_ASSERT_ALIGNED(base, 16);
    reinterpret_cast<Vector<T>*>(base)[index] = vector;
}

__device__ __forceinline__ float reciprocal_sqrt(float value) {
    return rsqrtf(value);
}
__device__ __forceinline__ double reciprocal_sqrt(double value) {
    return 1.0 / sqrt(value);
}
__device__ __forceinline__ float square_root(float value) {
    return sqrtf(value);
}
__device__ __forceinline__ double square_root(double value) {
    return sqrt(value);
}
__device__ __forceinline__ float exponential(float value) {
    return expf(value);
}
__device__ __forceinline__ double exponential(double value) {
    return exp(value);
}
__device__ __forceinline__ float logarithm(float value) {
    return logf(value);
}
__device__ __forceinline__ double logarithm(double value) {
    return log(value);
}
__device__ __forceinline__ float hyperbolic_tangent(float value) {
    return tanhf(value);
}
__device__ __forceinline__ double hyperbolic_tangent(double value) {
    return tanh(value);
}

}  // namespace longhaul::kernels::cuda
