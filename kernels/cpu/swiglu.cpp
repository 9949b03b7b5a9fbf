// SPDX-License-Identifier: BSD-3-Clause
// SwiGLU, see kernels/swiglu.h.

#include "kernels/swiglu.h"

#include "kernels/cpu/dtype_switch.h"
#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/swiglu.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::kernels::HWY_NAMESPACE {
namespace {

template <class T>
void forward_row(const T* gate, const T* up, T* out, int64_t columns) {
    const Tag<Accumulator<T>> d;
    for_lanes(d, columns, [&](auto lanes, int64_t i) {
        const auto g = lanes.get(d, gate + i);
        lanes.put(d, hn::Mul(hn::Mul(g, sigmoid(d, g)), lanes.get(d, up + i)), out + i);
    });
}

/// d out / d gate = s (1 + g (1 - s)) up;  d out / d up = g s.
template <class T>
void backward_row(const T* gate, const T* up, const T* grad_out, T* grad_gate, T* grad_up,
                  int64_t columns) {
    using A = Accumulator<T>;
    const Tag<A> d;
    const auto one = hn::Set(d, A{1});
    for_lanes(d, columns, [&](auto lanes, int64_t i) {
        const auto g = lanes.get(d, gate + i);
        const auto u = lanes.get(d, up + i);
        const auto dy = lanes.get(d, grad_out + i);
        const auto s = sigmoid(d, g);
        const auto slope = hn::Mul(s, hn::MulAdd(g, hn::Sub(one, s), one));
        lanes.put(d, hn::Mul(hn::Mul(dy, u), slope), grad_gate + i);
        lanes.put(d, hn::Mul(dy, hn::Mul(g, s)), grad_up + i);
    });
}

void swiglu_forward_rows(const SwigluForwardArgs& args, int64_t first, int64_t last) {
    cpu::with_type(args.dtype, "swiglu", [&](auto tag) {
        using T = typename decltype(tag)::Type;
        for (int64_t row = first; row < last; ++row) {
            const T* gate = static_cast<const T*>(args.gate_up) + row * 2 * args.columns;
            forward_row<T>(gate, gate + args.columns,
                           static_cast<T*>(args.out) + row * args.columns, args.columns);
        }
    });
}

void swiglu_backward_rows(const SwigluBackwardArgs& args, int64_t first, int64_t last) {
    cpu::with_type(args.dtype, "swiglu", [&](auto tag) {
        using T = typename decltype(tag)::Type;
        for (int64_t row = first; row < last; ++row) {
            const T* gate = static_cast<const T*>(args.gate_up) + row * 2 * args.columns;
            T* grad_gate = static_cast<T*>(args.grad_gate_up) + row * 2 * args.columns;
            backward_row<T>(gate, gate + args.columns,
                            static_cast<const T*>(args.grad_out) + row * args.columns, grad_gate,
                            grad_gate + args.columns, args.columns);
        }
    });
}

}  // namespace
}  // namespace longhaul::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::kernels::cpu {

HWY_EXPORT(swiglu_forward_rows);
HWY_EXPORT(swiglu_backward_rows);

void swiglu_forward(Stream&, const SwigluForwardArgs& args) {
    parallel_for(args.rows, row_chunk(2 * args.columns), [&](int64_t first, int64_t last) {
        HWY_DYNAMIC_DISPATCH(swiglu_forward_rows)(args, first, last);
    });
}

void swiglu_backward(Stream&, const SwigluBackwardArgs& args) {
    parallel_for(args.rows, row_chunk(2 * args.columns), [&](int64_t first, int64_t last) {
        HWY_DYNAMIC_DISPATCH(swiglu_backward_rows)(args, first, last);
    });
}

}  // namespace longhaul::kernels::cpu
#endif
