// SPDX-License-Identifier: BSD-3-Clause
// GELU by the identity 0.5 (1 + tanh(u)) = sigmoid(2 u): one exponential, no cancellation.

#include "kernels/gelu.h"

#include "kernels/cpu/dtype_switch.h"
#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gelu.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::kernels::HWY_NAMESPACE {
namespace {

constexpr double kTwoSqrtTwoOverPi = 1.5957691216057307612;  // 2 sqrt(2 / pi)
constexpr double kCubic = 0.044715;

template <class T>
void forward_range(const GeluForwardArgs& args, int64_t first, int64_t last) {
    using A = Accumulator<T>;
    const Tag<A> d;
    const T* x = static_cast<const T*>(args.x) + first;
    T* out = static_cast<T*>(args.out) + first;
    const auto slope = hn::Set(d, A(kTwoSqrtTwoOverPi));
    const auto cubic = hn::Set(d, A(kTwoSqrtTwoOverPi * kCubic));
    for_lanes(d, last - first, [&](auto lanes, int64_t i) {
        const auto v = lanes.get(d, x + i);
        const auto u2 = hn::Mul(v, hn::MulAdd(hn::Mul(v, v), cubic, slope));
        lanes.put(d, hn::Mul(v, sigmoid(d, u2)), out + i);
    });
}

template <class T>
void backward_range(const GeluBackwardArgs& args, int64_t first, int64_t last) {
    using A = Accumulator<T>;
    const Tag<A> d;
    const T* x = static_cast<const T*>(args.x) + first;
    const T* grad_out = static_cast<const T*>(args.grad_out) + first;
    T* grad_x = static_cast<T*>(args.grad_x) + first;
    const auto slope = hn::Set(d, A(kTwoSqrtTwoOverPi));
    const auto cubic = hn::Set(d, A(kTwoSqrtTwoOverPi * kCubic));
    const auto cubic3 = hn::Set(d, A(3 * kTwoSqrtTwoOverPi * kCubic));
    for_lanes(d, last - first, [&](auto lanes, int64_t i) {
        const auto v = lanes.get(d, x + i);
        const auto square = hn::Mul(v, v);
        const auto s = sigmoid(d, hn::Mul(v, hn::MulAdd(square, cubic, slope)));
        const auto u2_slope = hn::MulAdd(square, cubic3, slope);
        const auto bend = hn::Mul(hn::Mul(v, hn::NegMulAdd(s, s, s)), u2_slope);
        lanes.put(d, hn::Mul(lanes.get(d, grad_out + i), hn::Add(s, bend)), grad_x + i);
    });
}

void gelu_forward_range(const GeluForwardArgs& args, int64_t first, int64_t last) {
    cpu::with_type(args.dtype, "gelu", [&](auto tag) {
        forward_range<typename decltype(tag)::Type>(args, first, last);
    });
}

void gelu_backward_range(const GeluBackwardArgs& args, int64_t first, int64_t last) {
    cpu::with_type(args.dtype, "gelu", [&](auto tag) {
        backward_range<typename decltype(tag)::Type>(args, first, last);
    });
}

}  // namespace
}  // namespace longhaul::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::kernels::cpu {

HWY_EXPORT(gelu_forward_range);
HWY_EXPORT(gelu_backward_range);

void gelu_forward(Stream&, const GeluForwardArgs& args) {
    parallel_for(args.count, kElementChunk, [&](int64_t first, int64_t last) {
        HWY_DYNAMIC_DISPATCH(gelu_forward_range)(args, first, last);
    });
}

void gelu_backward(Stream&, const GeluBackwardArgs& args) {
    parallel_for(args.count, kElementChunk, [&](int64_t first, int64_t last) {
        HWY_DYNAMIC_DISPATCH(gelu_backward_range)(args, first, last);
    });
}

}  // namespace longhaul::kernels::cpu
#endif
