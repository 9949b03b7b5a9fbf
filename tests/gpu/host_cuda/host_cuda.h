// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The CUDA language for the host compiler: with this included first (-include), a .cu file of
// kernels/cuda compiles with g++ and its kernels run on the scheduler of this folder. No CUDA
// toolkit is needed. Covers what our kernels use; add what a new kernel needs, with its meaning
// from the CUDA C++ Programming Guide. Static __shared__ arrays become static variables, which is
// right because blocks run one after another; they keep the previous block's values, dynamic ones
// are filled with NaN.

#define LH_HOST_CUDA 1

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <type_traits>

#include "tests/gpu/host_cuda/scheduler.h"
#include "tests/gpu/host_cuda/stream_queue.h"

// NOLINTBEGIN: these names are CUDA's.
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static

#define threadIdx (::longhaul::host_cuda::thread_index())
#define blockIdx (::longhaul::host_cuda::block_index())
#define blockDim (::longhaul::host_cuda::block_shape())
#define gridDim (::longhaul::host_cuda::grid_shape())

// A shuffle hands values from stack to stack; that is not a race of the kernel.
#define LH_NOT_A_RACE __attribute__((no_sanitize("thread")))
#define LH_HERE const std::source_location& place = std::source_location::current()

/// On a GPU a misaligned vector access is an error; UBSan does not see it in a struct copy.
#define LH_ASSERT_ALIGNED(pointer, bytes)                           \
    (reinterpret_cast<uintptr_t>(pointer) % (bytes) == 0            \
         ? static_cast<void>(0)                                     \
         : ::longhaul::host_cuda::fault("misaligned vector access", \
                                        std::source_location::current()))

inline void __syncthreads(LH_HERE) {
    longhaul::host_cuda::barrier(longhaul::host_cuda::BarrierKind::kPlain, false, place);
}
inline int __syncthreads_or(int predicate, LH_HERE) {
    return longhaul::host_cuda::barrier(longhaul::host_cuda::BarrierKind::kOr, predicate != 0,
                                        place);
}
inline int __syncthreads_and(int predicate, LH_HERE) {
    return longhaul::host_cuda::barrier(longhaul::host_cuda::BarrierKind::kAnd, predicate != 0,
                                        place);
}
inline int __syncthreads_count(int predicate, LH_HERE) {
    return longhaul::host_cuda::barrier(longhaul::host_cuda::BarrierKind::kCount, predicate != 0,
                                        place);
}
inline void __syncwarp(unsigned mask = 0xFFFFFFFFu, LH_HERE) {
    longhaul::host_cuda::warp_operation(
        longhaul::host_cuda::WarpOperation::kSync, mask, nullptr, [](void* const*, uint32_t) {},
        place);
}

namespace longhaul::host_cuda {

template <class T>
struct ShufflePayload {
    T given;
    int source_lane;
    T received;
};

template <class T>
LH_NOT_A_RACE void exchange_lanes(void* const* payloads, uint32_t lanes) {
    for (int lane = 0; lane < 32; ++lane) {
        if ((lanes >> lane & 1u) == 0) continue;
        auto& to = *static_cast<ShufflePayload<T>*>(payloads[lane]);
        if ((lanes >> to.source_lane & 1u) != 0) {
            to.received = static_cast<ShufflePayload<T>*>(payloads[to.source_lane])->given;
        } else {
            std::memset(&to.received, 0xFF, sizeof(T));  // undefined on a GPU: NaN here
        }
    }
}

template <class T>
LH_NOT_A_RACE T shuffle(unsigned mask, T value, int source_lane,
                        const std::source_location& place) {
    static_assert(std::is_trivially_copyable_v<T>);
    ShufflePayload<T> payload{value, source_lane, value};
    warp_operation(WarpOperation::kShuffle, mask, &payload, exchange_lanes<T>, place);
    return payload.received;
}

struct VotePayload {
    bool predicate;
    unsigned ballot;
};

LH_NOT_A_RACE inline void collect_votes(void* const* payloads, uint32_t lanes) {
    unsigned ballot = 0;
    for (int lane = 0; lane < 32; ++lane) {
        if ((lanes >> lane & 1u) != 0 && static_cast<VotePayload*>(payloads[lane])->predicate) {
            ballot |= 1u << lane;
        }
    }
    for (int lane = 0; lane < 32; ++lane) {
        if ((lanes >> lane & 1u) != 0) static_cast<VotePayload*>(payloads[lane])->ballot = ballot;
    }
}

/// Queues a kernel on a stream of stream_queue.h. Arguments are copied now, as CUDA does.
template <class... Parameters>
void launch(const char* op, void (*kernel)(Parameters...), const GridShape& shape, void* stream,
            std::type_identity_t<Parameters>... arguments) {
    enqueue(stream, [=] { run_grid(op, shape, [&] { kernel(arguments...); }); });
}

}  // namespace longhaul::host_cuda

// Lanes outside a sub-warp of `width` keep their own value.
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, LH_HERE) {
    const int lane = longhaul::host_cuda::lane();
    return longhaul::host_cuda::shuffle(mask, value, lane / width * width + (source & (width - 1)),
                                        place);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, LH_HERE) {
    const int lane = longhaul::host_cuda::lane();
    const int source = lane ^ bits;
    return longhaul::host_cuda::shuffle(mask, value, source / width > lane / width ? lane : source,
                                        place);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, LH_HERE) {
    const int lane = longhaul::host_cuda::lane();
    const int source = lane + static_cast<int>(delta);
    return longhaul::host_cuda::shuffle(mask, value, source / width > lane / width ? lane : source,
                                        place);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, LH_HERE) {
    const int lane = longhaul::host_cuda::lane();
    const int source = lane - static_cast<int>(delta);
    const bool is_inside = source >= lane / width * width;
    return longhaul::host_cuda::shuffle(mask, value, is_inside ? source : lane, place);
}
LH_NOT_A_RACE inline unsigned __ballot_sync(unsigned mask, int predicate, LH_HERE) {
    longhaul::host_cuda::VotePayload vote{predicate != 0, 0};
    longhaul::host_cuda::warp_operation(longhaul::host_cuda::WarpOperation::kVote, mask, &vote,
                                        longhaul::host_cuda::collect_votes, place);
    return vote.ballot;
}
inline int __any_sync(unsigned mask, int predicate, LH_HERE) {
    return __ballot_sync(mask, predicate, place) != 0;
}

inline float rsqrtf(float value) {
    return 1.0f / std::sqrt(value);
}
inline float __expf(float value) {
    return std::exp(value);
}
// NOLINTEND
