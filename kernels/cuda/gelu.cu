// SPDX-License-Identifier: BSD-3-Clause
// GELU in its tanh form; the contract is kernels/gelu.h.
#include "kernels/cuda/device.cuh"
#include "kernels/cuda/group.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/gelu.h"

namespace longhaul::kernels::cuda {

namespace {

constexpr int kThreads = 256;
constexpr double kSqrtTwoOverPi = 0.79788456080286535588;
constexpr double kCubic = 0.044715;

/// tanh of the inner polynomial.
template <class Acc>
__device__ __forceinline__ Acc inner_tanh(Acc x) {
    return hyperbolic_tangent(static_cast<Acc>(kSqrtTwoOverPi) *
                              (x + static_cast<Acc>(kCubic) * x * x * x));
}

template <class Acc>
__device__ __forceinline__ Acc derivative(Acc x) {
    const Acc t = inner_tanh(x);
    const Acc inner_slope =
        static_cast<Acc>(kSqrtTwoOverPi) * (Acc{1} + static_cast<Acc>(3 * kCubic) * x * x);
    return Acc{0.5} * (Acc{1} + t) + Acc{0.5} * x * (Acc{1} - t * t) * inner_slope;
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    forward_kernel(const T* x, T* out, int64_t count, bool is_aligned) {
    const int64_t first = global_thread() * kGroup;
    if (first >= count) return;
    const int size = group_count(first, count);
    Group<T> group;
    group.load(x + first, size, is_aligned);
    for (int i = 0; i < kGroup; ++i) {
        const Accumulator<T> value = widen(group[i]);
        group[i] = narrow<T>(Accumulator<T>{0.5} * value * (Accumulator<T>{1} + inner_tanh(value)));
    }
    group.store(out + first, size, is_aligned);
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    backward_kernel(const T* x, const T* grad_out, T* grad_x, int64_t count, bool is_aligned) {
    const int64_t first = global_thread() * kGroup;
    if (first >= count) return;
    const int size = group_count(first, count);
    Group<T> group, grad;
    group.load(x + first, size, is_aligned);
    grad.load(grad_out + first, size, is_aligned);
    for (int i = 0; i < kGroup; ++i) {
        grad[i] = narrow<T>(widen(grad[i]) * derivative<Accumulator<T>>(widen(group[i])));
    }
    grad.store(grad_x + first, size, is_aligned);
}

constexpr const char* kForward = "gelu_forward";
constexpr const char* kBackward = "gelu_backward";

template <class T>
void forward(Stream& stream, const GeluForwardArgs& args) {
    const auto* x = static_cast<const T*>(args.x);
    auto* out = static_cast<T*>(args.out);
    const bool is_aligned = groups_are_aligned(x, kGroup) && groups_are_aligned(out, kGroup);
    launch(kForward, forward_kernel<T>, {blocks_for(args.count, kThreads * kGroup), kThreads},
           stream, x, out, args.count, is_aligned);
}

template <class T>
void backward(Stream& stream, const GeluBackwardArgs& args) {
    const auto* x = static_cast<const T*>(args.x);
    const auto* grad_out = static_cast<const T*>(args.grad_out);
    auto* grad_x = static_cast<T*>(args.grad_x);
    const bool is_aligned = groups_are_aligned(x, kGroup) && groups_are_aligned(grad_out, kGroup) &&
                            groups_are_aligned(grad_x, kGroup);
    launch(kBackward, backward_kernel<T>, {blocks_for(args.count, kThreads * kGroup), kThreads},
           stream, x, grad_out, grad_x, args.count, is_aligned);
}

}  // namespace

void gelu_forward(Stream& stream, const GeluForwardArgs& args) {
    require(args.count >= 0, kForward, "count must be >= 0");
    if (args.count == 0) return;
    require_buffer(args.x, tensor::size_of(args.dtype), kForward, "x");
    require_buffer(args.out, tensor::size_of(args.dtype), kForward, "out");
    with_float_type(args.dtype, kForward,
                    [&](auto tag) { forward<typename decltype(tag)::Type>(stream, args); });
}

void gelu_backward(Stream& stream, const GeluBackwardArgs& args) {
    require(args.count >= 0, kBackward, "count must be >= 0");
    if (args.count == 0) return;
    require_buffer(args.x, tensor::size_of(args.dtype), kBackward, "x");
    require_buffer(args.grad_out, tensor::size_of(args.dtype), kBackward, "grad_out");
    require_buffer(args.grad_x, tensor::size_of(args.dtype), kBackward, "grad_x");
    with_float_type(args.dtype, kBackward,
                    [&](auto tag) { backward<typename decltype(tag)::Type>(stream, args); });
}

}  // namespace longhaul::kernels::cuda
