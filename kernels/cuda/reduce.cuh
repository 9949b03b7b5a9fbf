// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reductions over a warp and over a block, in a fixed order: equal inputs give equal bits.

#include "kernels/cuda/device.cuh"

namespace longhaul::kernels::cuda {

inline constexpr unsigned kFullWarp = 0xFFFFFFFFu;
inline constexpr int kWarpSize = 32;
inline constexpr int kMaxWarps = 32;

struct Sum {
    template <class T>
    __device__ __forceinline__ T operator()(T a, T b) const {
        return a + b;
    }
};

struct Max {
    template <class T>
    __device__ __forceinline__ T operator()(T a, T b) const {
        return a < b ? b : a;
    }
};

/// Every lane gets the result. All 32 lanes must call.
template <class T, class Op>
__device__ __forceinline__ T warp_reduce(T value, Op op) {
    for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
        value = op(value, __shfl_xor_sync(kFullWarp, value, distance));
    }
    return value;
}

/// Every thread gets the result. All threads of a block of whole warps must call.
/// @param identity what op ignores; taken for warps that do not exist.
template <class T, class Op>
__device__ __forceinline__ T block_reduce(T value, Op op, T identity) {
    __shared__ T partial[kMaxWarps];
    const int lane = threadIdx.x % kWarpSize;
    const int warp = threadIdx.x / kWarpSize;
    const int num_warps = blockDim.x / kWarpSize;
    value = warp_reduce(value, op);
    __syncthreads();  // the previous reduction's readers are done with partial
    if (lane == 0) partial[warp] = value;
    __syncthreads();
    return warp_reduce(lane < num_warps ? partial[lane] : identity, op);
}

}  // namespace longhaul::kernels::cuda
