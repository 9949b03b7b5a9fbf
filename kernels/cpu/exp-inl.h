// SPDX-License-Identifier: BSD-3-Clause
// Exponential and sigmoid for kernels: Highway's polynomial (1 ulp) made safe at its edges.

#if defined(LH_KERNELS_CPU_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LH_KERNELS_CPU_EXP_INL_H_
#undef LH_KERNELS_CPU_EXP_INL_H_
#else
#define LH_KERNELS_CPU_EXP_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>

#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::kernels::HWY_NAMESPACE {

/// exp(x) for x <= 0 or small positive x. NaN stays NaN: Highway's own gives 0, which would hide a
/// broken activation from the guard on non-finite losses.
template <class D>
hn::Vec<D> exponential(D d, hn::Vec<D> x) {
    return hn::IfThenElse(hn::IsNaN(x), x, hn::Exp(d, x));
}

/// 1 / (1 + exp(-x)). The exponent is capped where Highway's Exp would wrap around; beyond the cap
/// the result is below the smallest normal number times two.
template <class D>
hn::Vec<D> sigmoid(D d, hn::Vec<D> x) {
    using A = hn::TFromD<D>;
    const auto one = hn::Set(d, A{1});
    const auto cap = hn::Set(d, sizeof(A) == 8 ? A(700) : A(87));
    const auto exponent = hn::Exp(d, hn::Min(hn::Neg(x), cap));
    return hn::IfThenElse(hn::IsNaN(x), x, hn::Div(one, hn::Add(one, exponent)));
}

}  // namespace longhaul::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
