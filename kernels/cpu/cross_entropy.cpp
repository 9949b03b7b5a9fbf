// SPDX-License-Identifier: BSD-3-Clause
// Softmax cross-entropy in place, see kernels/cross_entropy.h. Three passes over a row: maximum,
// sum of exponentials, gradient. The exponentials are computed again in the last pass: they would
// need more precision than a bf16 row can hold.

#include "kernels/cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/dtype_switch.h"
#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/cross_entropy.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::kernels::HWY_NAMESPACE {
namespace {

inline double widen(double value) {
    return value;
}
inline float widen(float value) {
    return value;
}
inline float widen(tensor::BFloat16 value) {
    return tensor::to_float(value);
}
inline void narrow(double value, double& to) {
    to = value;
}
inline void narrow(float value, float& to) {
    to = value;
}
inline void narrow(float value, tensor::BFloat16& to) {
    to = tensor::to_bf16(value);
}

template <class T>
Accumulator<T> row_max(const T* x, int64_t count) {
    using A = Accumulator<T>;
    const Tag<A> d;
    const auto width = static_cast<int64_t>(hn::Lanes(d));
    auto largest = hn::Set(d, widen(x[0]));
    int64_t i = 0;
    for (; i + width <= count; i += width) largest = hn::Max(largest, load(d, x + i));
    A result = max_lanes(d, largest);
    for (; i < count; ++i) result = std::max(result, widen(x[i]));
    return result;
}

/// Sum of exp(x - shift); a NaN anywhere makes it NaN.
template <class T>
Accumulator<T> row_exp_sum(const T* x, Accumulator<T> shift, int64_t count) {
    using A = Accumulator<T>;
    const Tag<A> d;
    const auto width = static_cast<int64_t>(hn::Lanes(d));
    const auto offset = hn::Set(d, shift);
    auto total = hn::Zero(d);
    int64_t i = 0;
    for (; i + width <= count; i += width) {
        total = hn::Add(total, exponential(d, hn::Sub(load(d, x + i), offset)));
    }
    if (i < count) {
        const auto valid = static_cast<size_t>(count - i);
        const auto e = exponential(d, hn::Sub(load_part(d, x + i, valid), offset));
        total = hn::Add(total, hn::IfThenElseZero(hn::FirstN(d, valid), e));
    }
    return sum_lanes(d, total);
}

/// x = exp(x - shift) * factor.
template <class T>
void softmax_gradient(T* x, Accumulator<T> shift, Accumulator<T> factor, int64_t count) {
    const Tag<Accumulator<T>> d;
    const auto offset = hn::Set(d, shift);
    const auto scale = hn::Set(d, factor);
    for_lanes(d, count, [&](auto lanes, int64_t i) {
        const auto e = exponential(d, hn::Sub(lanes.get(d, x + i), offset));
        lanes.put(d, hn::Mul(e, scale), x + i);
    });
}

template <class T>
void fill_row(T* x, Accumulator<T> value, int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) narrow(value, x[i]);
}

template <class T>
Accumulator<T> loss_of_row(const CrossEntropyArgs& args, T* logits, int32_t target) {
    using A = Accumulator<T>;
    if (target == args.ignore_index) {
        if (args.want_grad) fill_row<T>(logits, A{0}, 0, args.padded_vocab);
        return 0;
    }
    if (target < 0 || target >= args.vocab) {
        const A nan = std::numeric_limits<A>::quiet_NaN();
        if (args.want_grad) {
            fill_row<T>(logits, nan, 0, args.vocab);
            fill_row<T>(logits, A{0}, args.vocab, args.padded_vocab);
        }
        return nan;
    }
    const A shift = row_max<T>(logits, args.vocab);
    const A sum = row_exp_sum<T>(logits, shift, args.vocab);
    const A loss = std::log(sum) - (widen(logits[target]) - shift);
    if (args.want_grad) {
        const A factor = static_cast<A>(args.grad_scale) / sum;
        const A probability = std::exp(widen(logits[target]) - shift) / sum;
        softmax_gradient<T>(logits, shift, factor, args.vocab);
        narrow((probability - A{1}) * static_cast<A>(args.grad_scale), logits[target]);
        fill_row<T>(logits, A{0}, args.vocab, args.padded_vocab);
    }
    return loss;
}

void cross_entropy_rows(const CrossEntropyArgs& args, int64_t first, int64_t last) {
    cpu::with_type(args.dtype, "cross_entropy", [&](auto tag) {
        using T = typename decltype(tag)::Type;
        for (int64_t row = first; row < last; ++row) {
            T* logits = static_cast<T*>(args.logits) + row * args.padded_vocab;
            static_cast<Accumulator<T>*>(args.losses)[row] =
                loss_of_row<T>(args, logits, args.targets[row]);
        }
    });
}

}  // namespace
}  // namespace longhaul::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::kernels::cpu {

HWY_EXPORT(cross_entropy_rows);

void cross_entropy(Stream&, const CrossEntropyArgs& args) {
    LH_CHECK(args.vocab > 0 && args.padded_vocab >= args.vocab,
             "cross_entropy: vocab {} with row stride {}", args.vocab, args.padded_vocab);
    parallel_for(args.rows, row_chunk(args.vocab), [&](int64_t first, int64_t last) {
        HWY_DYNAMIC_DISPATCH(cross_entropy_rows)(args, first, last);
    });
}

}  // namespace longhaul::kernels::cpu
#endif
