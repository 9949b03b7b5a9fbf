// SPDX-License-Identifier: BSD-3-Clause
// Conversion between f32, f64 and bf16; the contract is kernels/cast.h.
#include "kernels/cast.h"

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/group.cuh"
#include "kernels/cuda/launch.cuh"

namespace longhaul::kernels::cuda {

namespace {

constexpr int kThreads = 256;
constexpr const char* kOp = "cast";

template <class To, class From>
__device__ __forceinline__ To convert(From value) {
    return narrow<To>(static_cast<Accumulator<To>>(widen(value)));
}

template <class From, class To>
__global__ void __launch_bounds__(kThreads)
    cast_kernel(const From* from, To* to, int64_t count, bool is_aligned) {
    const int64_t first = global_thread() * kGroup;
    if (first >= count) return;
    const int size = group_count(first, count);
    Group<From> source;
    Group<To> result;
    source.load(from + first, size, is_aligned);
    for (int i = 0; i < kGroup; ++i) result[i] = convert<To>(source[i]);
    result.store(to + first, size, is_aligned);
}

}  // namespace

void cast(Stream& stream, const CastArgs& args) {
    require(args.count >= 0, kOp, "count must be >= 0");
    // In place, one thread's results would overwrite what another has yet to read.
    require(args.from != args.to || args.from_dtype == args.to_dtype, kOp,
            "in place only between equal types");
    if (args.count == 0) return;
    require_buffer(args.from, tensor::size_of(args.from_dtype), kOp, "from");
    require_buffer(args.to, tensor::size_of(args.to_dtype), kOp, "to");
    with_float_type(args.from_dtype, kOp, [&](auto from_tag) {
        with_float_type(args.to_dtype, kOp, [&](auto to_tag) {
            using From = typename decltype(from_tag)::Type;
            using To = typename decltype(to_tag)::Type;
            const auto* from = static_cast<const From*>(args.from);
            auto* to = static_cast<To*>(args.to);
            const bool is_aligned =
                groups_are_aligned(from, kGroup) && groups_are_aligned(to, kGroup);
            launch(kOp, cast_kernel<From, To>,
                   {blocks_for(args.count, kThreads * kGroup), kThreads}, stream, from, to,
                   args.count, is_aligned);
        });
    });
}

}  // namespace longhaul::kernels::cuda
