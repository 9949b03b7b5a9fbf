// SPDX-License-Identifier: BSD-3-Clause
// Compiled once for every SIMD target (Highway includes this file again for each).
#include "lib/dedup/signature/weighted_sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/dedup/signature/weighted_sums.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace longhaul::dedup {
namespace HWY_NAMESPACE {

void sum_neighbours(uint64_t* values, size_t count, std::span<const uint64_t> factors) {
    size_t i = 0;
#if HWY_TARGET <= HWY_AVX3  // only these multiply 64 bits
    namespace hn = hwy::HWY_NAMESPACE;
    const hn::CappedTag<uint64_t, 8> d;
    const size_t lanes = hn::Lanes(d);
    // What a vector replaces, no later one reads.
    for (; i + lanes <= count; i += lanes) {
        auto sum = hn::Zero(d);
        for (size_t j = 0; j < factors.size(); ++j) {
            const auto product = hn::Mul(hn::LoadU(d, values + i + j), hn::Set(d, factors[j]));
            sum = hn::Add(sum, product);
        }
        hn::StoreU(sum, d, values + i);
    }
#endif
    for (; i < count; ++i) {
        uint64_t sum = 0;
        for (size_t j = 0; j < factors.size(); ++j) sum += values[i + j] * factors[j];
        values[i] = sum;
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace longhaul::dedup
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::dedup {

HWY_EXPORT(sum_neighbours);

void weighted_sums(uint64_t* values, size_t count, std::span<const uint64_t> factors) {
    HWY_DYNAMIC_DISPATCH(sum_neighbours)(values, count, factors);
}

}  // namespace longhaul::dedup
#endif  // HWY_ONCE
