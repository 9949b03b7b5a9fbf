// SPDX-License-Identifier: BSD-3-Clause
// Conversions between element types, see kernels/cast.h.

#include "kernels/cast.h"

#include <type_traits>

#include "kernels/cpu/dtype_switch.h"
#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/cast.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::kernels::HWY_NAMESPACE {
namespace {

/// f64 goes through f32 on its way to bf16, as PyTorch does.
template <class From, class To>
void convert(const From* from, To* to, int64_t count) {
    if constexpr (std::is_same_v<From, double> || std::is_same_v<To, double>) {
        for (int64_t i = 0; i < count; ++i) {
            if constexpr (std::is_same_v<To, tensor::BFloat16>) {
                to[i] = tensor::to_bf16(static_cast<float>(from[i]));
            } else if constexpr (std::is_same_v<From, tensor::BFloat16>) {
                to[i] = static_cast<double>(tensor::to_float(from[i]));
            } else {
                to[i] = static_cast<To>(from[i]);
            }
        }
    } else {
        const Tag<float> d;
        for_lanes(d, count,
                  [&](auto lanes, int64_t i) { lanes.put(d, lanes.get(d, from + i), to + i); });
    }
}

/// Elements [first, last) of row `row`.
void cast_range(const CastArgs& args, int64_t row, int64_t first, int64_t last) {
    cpu::with_type(args.from_dtype, "cast", [&](auto from_tag) {
        cpu::with_type(args.to_dtype, "cast", [&](auto to_tag) {
            using From = typename decltype(from_tag)::Type;
            using To = typename decltype(to_tag)::Type;
            convert<From, To>(static_cast<const From*>(args.from) + row * args.from_stride + first,
                              static_cast<To*>(args.to) + row * args.to_stride + first,
                              last - first);
        });
    });
}

}  // namespace
}  // namespace longhaul::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::kernels::cpu {

HWY_EXPORT(cast_range);

void cast(Stream&, const CastArgs& args) {
    if (args.from == args.to && args.from_dtype == args.to_dtype) return;
    if (args.rows == 1) {
        parallel_for(args.count, kElementChunk, [&](int64_t first, int64_t last) {
            HWY_DYNAMIC_DISPATCH(cast_range)(args, 0, first, last);
        });
        return;
    }
    parallel_for(args.rows, row_chunk(args.count), [&](int64_t first, int64_t last) {
        for (int64_t row = first; row < last; ++row) {
            HWY_DYNAMIC_DISPATCH(cast_range)(args, row, 0, args.count);
        }
    });
}

}  // namespace longhaul::kernels::cpu
#endif
