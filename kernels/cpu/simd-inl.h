// SPDX-License-Identifier: BSD-3-Clause
// What all SIMD kernels share, compiled once per instruction set by Highway's foreach_target: loads
// and stores that convert bf16, and loops with a correct tail. Include inside a foreach_target
// file, after highway.h. Kernels here are serial; threads come from parallel_for() outside.

#if defined(LH_KERNELS_CPU_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LH_KERNELS_CPU_SIMD_INL_H_
#undef LH_KERNELS_CPU_SIMD_INL_H_
#else
#define LH_KERNELS_CPU_SIMD_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include <hwy/highway.h>

#include "lib/tensor/dtype.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The type in which values stored as T are computed: bf16 in float.
template <class T>
using Accumulator = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class A>
using Tag = hn::ScalableTag<A>;

template <class D>
hn::Vec<D> load(D d, const hn::TFromD<D>* from) {
    return hn::LoadU(d, from);
}

template <class D>
hn::Vec<D> load([[maybe_unused]] D d, const tensor::BFloat16* from) {
    const hn::Rebind<uint16_t, D> d16;
    const hn::RebindToUnsigned<D> d32;
    const auto bits = hn::LoadU(d16, reinterpret_cast<const uint16_t*>(from));
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(d32, bits)));
}

template <class D>
void store(D d, hn::Vec<D> value, hn::TFromD<D>* to) {
    hn::StoreU(value, d, to);
}

/// Rounds to nearest even as tensor::to_bf16 does, NaN included.
template <class D>
void store([[maybe_unused]] D d, hn::Vec<D> value, tensor::BFloat16* to) {
    const hn::Rebind<uint16_t, D> d16;
    const hn::RebindToUnsigned<D> d32;
    const hn::RebindToSigned<D> s32;
    const auto bits = hn::BitCast(d32, value);
    const auto high = hn::ShiftRight<16>(bits);
    const auto is_odd = hn::And(high, hn::Set(d32, 1u));
    const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(is_odd, hn::Set(d32, 0x7FFFu))));
    const auto is_nan = hn::RebindMask(d32, hn::IsNaN(value));
    const auto quiet = hn::Or(high, hn::Set(d32, 0x40u));
    const auto word = hn::BitCast(s32, hn::IfThenElse(is_nan, quiet, rounded));
    hn::StoreU(hn::DemoteTo(d16, word), d16, reinterpret_cast<uint16_t*>(to));
}

/// The first `count` < Lanes(d) elements, zero beyond.
template <class D, class T>
hn::Vec<D> load_part(D d, const T* from, size_t count) {
    HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)] = {};
    for (size_t i = 0; i < count; ++i) lanes[i] = from[i];
    return load(d, lanes);
}

template <class D, class T>
void store_part(D d, hn::Vec<D> value, T* to, size_t count) {
    HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)];
    store(d, value, lanes);
    for (size_t i = 0; i < count; ++i) to[i] = lanes[i];
}

/// Loader and storer of whole vectors or of a tail of `count` lanes; for_lanes() below hands one to
/// the loop body so that a kernel is written once for both.
struct Whole {
    template <class D, class T>
    hn::Vec<D> get(D d, const T* from) const {
        return load(d, from);
    }
    template <class D, class T>
    void put(D d, hn::Vec<D> value, T* to) const {
        store(d, value, to);
    }
};
struct Tail {
    size_t count;
    template <class D, class T>
    hn::Vec<D> get(D d, const T* from) const {
        return load_part(d, from, count);
    }
    template <class D, class T>
    void put(D d, hn::Vec<D> value, T* to) const {
        store_part(d, value, to, count);
    }
};

/// body(lanes, i) for i = 0, Lanes(d), ... below count, where `lanes` is Whole or, at the end, Tail
/// (whose loads give zeros beyond the end).
template <class D, class Body>
void for_lanes(D d, int64_t count, const Body& body) {
    const auto width = static_cast<int64_t>(hn::Lanes(d));
    int64_t i = 0;
    for (; i + width <= count; i += width) body(Whole{}, i);
    if (i < count) body(Tail{static_cast<size_t>(count - i)}, i);
}

/// The sum of all lanes.
template <class D>
hn::TFromD<D> sum_lanes(D d, hn::Vec<D> value) {
    return hn::GetLane(hn::SumOfLanes(d, value));
}
template <class D>
hn::TFromD<D> max_lanes(D d, hn::Vec<D> value) {
    return hn::GetLane(hn::MaxOfLanes(d, value));
}

}  // namespace longhaul::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
