// SPDX-License-Identifier: BSD-3-Clause
// Rotary position embedding, see kernels/rope.h.

#include "kernels/rope.h"

#include "kernels/cpu/dtype_switch.h"
#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/rope.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::kernels::HWY_NAMESPACE {
namespace {

template <class T, class A>
void rotate_head(T* low, T* high, const A* cosines, const A* sines, A sign, int64_t half) {
    const Tag<A> d;
    const auto sign_vector = hn::Set(d, sign);
    for_lanes(d, half, [&](auto lanes, int64_t i) {
        const auto c = lanes.get(d, cosines + i);
        const auto s = hn::Mul(lanes.get(d, sines + i), sign_vector);
        const auto x1 = lanes.get(d, low + i);
        const auto x2 = lanes.get(d, high + i);
        lanes.put(d, hn::NegMulAdd(x2, s, hn::Mul(x1, c)), low + i);
        lanes.put(d, hn::MulAdd(x1, s, hn::Mul(x2, c)), high + i);
    });
}

void rope_rows(const RopeArgs& args, int64_t first, int64_t last) {
    cpu::with_type(args.dtype, "rope", [&](auto tag) {
        using T = typename decltype(tag)::Type;
        using A = Accumulator<T>;
        const int64_t half = args.head_dim / 2;
        for (int64_t row = first; row < last; ++row) {
            const int64_t begin = args.document_begins == nullptr ? 0 : args.document_begins[row];
            const int64_t position = args.first_position + row % args.seq_len - begin;
            const A* cosines = static_cast<const A*>(args.cosines) + position * half;
            const A* sines = static_cast<const A*>(args.sines) + position * half;
            for (int64_t head = 0; head < args.num_heads; ++head) {
                T* x = static_cast<T*>(args.x) + row * args.row_stride + head * args.head_dim;
                rotate_head<T, A>(x, x + half, cosines, sines, args.inverse ? A{-1} : A{1}, half);
            }
        }
    });
}

}  // namespace
}  // namespace longhaul::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::kernels::cpu {

HWY_EXPORT(rope_rows);

void rope(Stream&, const RopeArgs& args) {
    LH_CHECK(args.head_dim % 2 == 0, "rope: head_dim {} is odd", args.head_dim);
    parallel_for(args.rows, row_chunk(args.num_heads * args.head_dim),
                 [&](int64_t first, int64_t last) {
                     HWY_DYNAMIC_DISPATCH(rope_rows)(args, first, last);
                 });
}

}  // namespace longhaul::kernels::cpu
#endif
