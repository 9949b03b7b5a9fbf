// SPDX-License-Identifier: BSD-3-Clause
// Fused AdamW, see kernels/adamw.h: one pass over gradient, master, m and v (memory-bound).

#include "kernels/adamw.h"

#include <cmath>

#include "kernels/cpu/dtype_switch.h"
#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/adamw.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::kernels::HWY_NAMESPACE {
namespace {

/// State S with gradients G.
template <class S, class G>
void update_range(const AdamWArgs& args, int64_t first, int64_t last) {
    const Tag<S> d;
    const G* grad = static_cast<const G*>(args.grad) + first;
    S* master = static_cast<S*>(args.master) + first;
    S* m = static_cast<S*>(args.m) + first;
    S* v = static_cast<S*>(args.v) + first;
    const double correct1 = 1 / (1 - std::pow(args.beta1, args.step));
    const double correct2 = 1 / (1 - std::pow(args.beta2, args.step));
    const auto beta1 = hn::Set(d, static_cast<S>(args.beta1));
    const auto rest1 = hn::Set(d, static_cast<S>(1 - args.beta1));
    const auto beta2 = hn::Set(d, static_cast<S>(args.beta2));
    const auto rest2 = hn::Set(d, static_cast<S>(1 - args.beta2));
    const auto scale = hn::Set(d, static_cast<S>(args.grad_scale));
    const auto rate1 = hn::Set(d, static_cast<S>(args.learning_rate * correct1));
    const auto c2 = hn::Set(d, static_cast<S>(correct2));
    const auto epsilon = hn::Set(d, static_cast<S>(args.epsilon));
    const auto decay = hn::Set(d, static_cast<S>(args.learning_rate * args.weight_decay));
    for_lanes(d, last - first, [&](auto lanes, int64_t i) {
        const auto g = hn::Mul(lanes.get(d, grad + i), scale);
        const auto new_m = hn::MulAdd(beta1, lanes.get(d, m + i), hn::Mul(rest1, g));
        const auto new_v = hn::MulAdd(beta2, lanes.get(d, v + i), hn::Mul(rest2, hn::Mul(g, g)));
        const auto root = hn::Add(hn::Sqrt(hn::Mul(new_v, c2)), epsilon);
        const auto old = lanes.get(d, master + i);
        const auto moved = hn::Sub(old, hn::Div(hn::Mul(rate1, new_m), root));
        lanes.put(d, new_m, m + i);
        lanes.put(d, new_v, v + i);
        lanes.put(d, hn::NegMulAdd(decay, old, moved), master + i);
    });
}

void adamw_range(const AdamWArgs& args, int64_t first, int64_t last) {
    using tensor::DType;
    if (args.state_dtype == DType::kF64) {
        return update_range<double, double>(args, first, last);
    }
    if (args.grad_dtype == DType::kBF16) {
        return update_range<float, tensor::BFloat16>(args, first, last);
    }
    update_range<float, float>(args, first, last);
}

/// The bf16 copy of the new master weights.
void round_range(const AdamWArgs& args, int64_t first, int64_t last) {
    const auto value = [&](int64_t i) {
        return args.state_dtype == tensor::DType::kF64
                   ? static_cast<float>(static_cast<const double*>(args.master)[i])
                   : static_cast<const float*>(args.master)[i];
    };
    if (args.rounding == Rounding::kNearestEven) {
        for (int64_t i = first; i < last; ++i) args.weights[i] = tensor::to_bf16(value(i));
        return;
    }
    PhiloxBlock bits{};
    uint64_t held = ~uint64_t{0};
    for (int64_t i = first; i < last; ++i) {
        const auto element = static_cast<uint64_t>(args.first_element + i);
        if (element >> 3 != held) {
            held = element >> 3;
            bits = rounding_block(args.seed, args.tensor_stream, args.step, held);
        }
        args.weights[i] = tensor::to_bf16_stochastic(value(i), rounding_bits(bits, element));
    }
}

}  // namespace
}  // namespace longhaul::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::kernels::cpu {

HWY_EXPORT(adamw_range);
HWY_EXPORT(round_range);

void adamw(Stream&, const AdamWArgs& args) {
    const bool wide = args.state_dtype == tensor::DType::kF64;
    LH_CHECK(wide == (args.grad_dtype == tensor::DType::kF64), "adamw: {} state with {} gradients",
             tensor::name_of(args.state_dtype), tensor::name_of(args.grad_dtype));
    LH_CHECK(args.step >= 1, "adamw: step {} (the first is 1)", args.step);
    parallel_for(args.count, kElementChunk, [&](int64_t first, int64_t last) {
        HWY_DYNAMIC_DISPATCH(adamw_range)(args, first, last);
        if (args.weights != nullptr) HWY_DYNAMIC_DISPATCH(round_range)(args, first, last);
    });
}

}  // namespace longhaul::kernels::cpu
#endif
