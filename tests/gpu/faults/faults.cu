// SPDX-License-Identifier: BSD-3-Clause
// Kernels that are wrong on purpose: each breaks one rule, and faults.sh checks that the host tests
// notice. They are compiled like the real ones.
#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/reduce.cuh"
#include "tests/gpu/faults/faults.h"

namespace longhaul::kernels::cuda::faults {

namespace {

constexpr int kThreads = 64;

/// Thread i writes slot i and reads slot of its neighbour: needs a barrier in between.
__global__ void missing_barrier(float* out) {
    __shared__ float slots[kThreads];
    slots[threadIdx.x] = static_cast<float>(threadIdx.x);
    out[threadIdx.x] = slots[(threadIdx.x + 1) % kThreads];
}

/// The second round overwrites slots that other threads may still read.
__global__ void missing_second_barrier(float* out) {
    __shared__ float slots[kThreads];
    float total = 0;
    for (int round = 0; round < 2; ++round) {
        slots[threadIdx.x] = static_cast<float>(round);
        __syncthreads();
        total += slots[(threadIdx.x + 1) % kThreads];
    }
    out[threadIdx.x] = total;
}

__global__ void half_block_barrier(float* out) {
    if (threadIdx.x < kThreads / 2) __syncthreads();
    out[threadIdx.x] = 1;
}

__global__ void divergent_barrier(float* out) {
    if (threadIdx.x % 2 == 0) {
        __syncthreads();
    } else {
        __syncthreads();
    }
    out[threadIdx.x] = 1;
}

__global__ void shuffle_in_branch(float* out) {
    float value = 1;
    if (threadIdx.x % 2 == 0) value = __shfl_xor_sync(kFullWarp, value, 1);
    __syncthreads();
    out[threadIdx.x] = value;
}

__global__ void lane_outside_mask(float* out) {
    out[threadIdx.x] = __shfl_xor_sync(0x0000FFFFu, 1.0f, 1);
}

/// Launched with room for one element less.
__global__ void shared_overflow(float* out) {
    float* slots = dynamic_shared<float>();
    slots[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = slots[threadIdx.x];
}

__global__ void shared_unwritten(float* out) {
    out[threadIdx.x] = dynamic_shared<float>()[threadIdx.x];
}

__global__ void global_overflow(float* out) {
    out[threadIdx.x + 1] = 1;
}

__global__ void misaligned_vector(float* out) {
    store_vector(out + 1, 0, Vector<float>{});
}

struct Case {
    const char* name;
    void (*kernel)(float*);
    size_t shared_bytes;
};

constexpr size_t kFull = kThreads * sizeof(float);
constexpr Case kCases[] = {
    {"missing_barrier", missing_barrier, 0},
    {"missing_second_barrier", missing_second_barrier, 0},
    {"half_block_barrier", half_block_barrier, 0},
    {"divergent_barrier", divergent_barrier, 0},
    {"shuffle_in_branch", shuffle_in_branch, 0},
    {"lane_outside_mask", lane_outside_mask, 0},
    {"shared_overflow", shared_overflow, kFull - 16},
    {"shared_unwritten", shared_unwritten, kFull},
    {"global_overflow", global_overflow, 0},
    {"misaligned_vector", misaligned_vector, 0},
};

}  // namespace

bool run(const std::string& name, Stream& stream, float* out) {
    for (const Case& each : kCases) {
        if (name != each.name) continue;
        launch(each.name, each.kernel, {1, kThreads, each.shared_bytes}, stream, out);
        return true;
    }
    return false;
}

}  // namespace longhaul::kernels::cuda::faults
