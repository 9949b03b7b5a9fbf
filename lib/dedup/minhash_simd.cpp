// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of MinHash, compiled once for every SIMD target (Highway includes this file again
// for each). Minima of a tile of permutations stay in registers while all shingles pass by.
#include "lib/dedup/minhash.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/dedup/minhash_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace longhaul::dedup {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Minima of N vectors of 32-bit permutations from `first` on.
template <int N>
void tile_32(std::span<const uint64_t> shingles, const uint32_t* a, const uint32_t* b,
             uint32_t* minima) {
    const hn::CappedTag<uint32_t, detail::kMaxLanes32> d;
    const size_t lanes = hn::Lanes(d);
    using V = hn::Vec<decltype(d)>;
    V least[N];
    for (int i = 0; i < N; ++i) least[i] = hn::Set(d, 0xFFFFFFFFu);
    for (const uint64_t shingle : shingles) {
        const V x = hn::Set(d, static_cast<uint32_t>(shingle >> 32));
        for (int i = 0; i < N; ++i) {
            const size_t at = static_cast<size_t>(i) * lanes;
            const V hash = hn::Add(hn::Mul(x, hn::LoadU(d, a + at)), hn::LoadU(d, b + at));
            least[i] = hn::Min(least[i], hash);
        }
    }
    for (int i = 0; i < N; ++i) hn::StoreU(least[i], d, minima + static_cast<size_t>(i) * lanes);
}

void MinHash32(std::span<const uint64_t> shingles, std::span<const uint32_t> a,
               std::span<const uint32_t> b, std::span<uint32_t> minima) {
    const size_t lanes = hn::Lanes(hn::CappedTag<uint32_t, detail::kMaxLanes32>());
    // Seven: 112 permutations are 7 vectors of AVX-512, 14 of AVX2, 28 of SSE4; 7 minima fit the
    // 16 registers of the latter two.
    constexpr int kTile = 7;
    size_t first = 0;
    for (; first + kTile * lanes <= a.size(); first += kTile * lanes) {
        tile_32<kTile>(shingles, &a[first], &b[first], &minima[first]);
    }
    for (; first < a.size(); first += lanes) {
        tile_32<1>(shingles, &a[first], &b[first], &minima[first]);
    }
}

/// a * b modulo 2^64 in every lane, for targets without such an instruction too.
template <class D, class V>
V multiply_64(D d, V a, V b) {
#if HWY_TARGET <= HWY_AVX3
    (void)d;
    return hn::Mul(a, b);
#elif HWY_TARGET == HWY_SCALAR
    return hn::Set(d, hn::GetLane(a) * hn::GetLane(b));
#else
    const hn::Repartition<uint32_t, D> d32;
    const auto low_low = hn::MulEven(hn::BitCast(d32, a), hn::BitCast(d32, b));
    const auto high_low = hn::MulEven(hn::BitCast(d32, hn::ShiftRight<32>(a)), hn::BitCast(d32, b));
    const auto low_high = hn::MulEven(hn::BitCast(d32, a), hn::BitCast(d32, hn::ShiftRight<32>(b)));
    const auto cross = hn::Add(hn::BitCast(d, high_low), hn::BitCast(d, low_high));
    return hn::Add(hn::BitCast(d, low_low), hn::ShiftLeft<32>(cross));
#endif
}

template <int N>
void tile_61(std::span<const uint64_t> shingles, const uint64_t* a, const uint64_t* b,
             uint64_t* minima) {
    const hn::CappedTag<uint64_t, detail::kMaxLanes32 / 2> d;
    const hn::RebindToSigned<decltype(d)> signed_d;  // values are below 2^61: signed Min is exact
    const size_t lanes = hn::Lanes(d);
    const auto prime = hn::Set(d, (uint64_t{1} << 61) - 1);
    const auto largest = hn::Set(signed_d, (int64_t{1} << 61) - 2);
    hn::Vec<decltype(signed_d)> least[N];
    for (int i = 0; i < N; ++i) least[i] = hn::BitCast(signed_d, prime);
    for (const uint64_t shingle : shingles) {
        const auto x = hn::Set(d, shingle);
        for (int i = 0; i < N; ++i) {
            const size_t at = static_cast<size_t>(i) * lanes;
            const auto product = multiply_64(d, x, hn::LoadU(d, a + at));
            const auto sum = hn::Add(product, hn::LoadU(d, b + at));
            // 2^61 = 1 modulo the prime; one subtraction brings the folded value below it.
            const auto folded = hn::Add(hn::And(sum, prime), hn::ShiftRight<61>(sum));
            const auto value = hn::BitCast(signed_d, folded);
            const auto is_above = hn::Gt(value, largest);
            const auto reduced =
                hn::Sub(value, hn::IfThenElseZero(is_above, hn::BitCast(signed_d, prime)));
            least[i] = hn::Min(least[i], reduced);
        }
    }
    for (int i = 0; i < N; ++i) {
        hn::StoreU(hn::BitCast(d, least[i]), d, minima + static_cast<size_t>(i) * lanes);
    }
}

void MinHash61(std::span<const uint64_t> shingles, std::span<const uint64_t> a,
               std::span<const uint64_t> b, std::span<uint64_t> minima) {
    const size_t lanes = hn::Lanes(hn::CappedTag<uint64_t, detail::kMaxLanes32 / 2>());
    constexpr int kTile = 7;
    size_t first = 0;
    for (; first + kTile * lanes <= a.size(); first += kTile * lanes) {
        tile_61<kTile>(shingles, &a[first], &b[first], &minima[first]);
    }
    for (; first < a.size(); first += lanes) {
        tile_61<1>(shingles, &a[first], &b[first], &minima[first]);
    }
}

const char* TargetName() {
    return hwy::TargetName(HWY_TARGET);
}

}  // namespace HWY_NAMESPACE
}  // namespace longhaul::dedup
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::dedup {

HWY_EXPORT(MinHash32);
HWY_EXPORT(MinHash61);
HWY_EXPORT(TargetName);

const char* simd_target() {
    return HWY_DYNAMIC_DISPATCH(TargetName)();
}

namespace detail {

void min_hash_32(std::span<const uint64_t> shingles, std::span<const uint32_t> a,
                 std::span<const uint32_t> b, std::span<uint32_t> minima) {
    HWY_DYNAMIC_DISPATCH(MinHash32)(shingles, a, b, minima);
}

void min_hash_61(std::span<const uint64_t> shingles, std::span<const uint64_t> a,
                 std::span<const uint64_t> b, std::span<uint64_t> minima) {
    HWY_DYNAMIC_DISPATCH(MinHash61)(shingles, a, b, minima);
}

}  // namespace detail

}  // namespace longhaul::dedup
#endif  // HWY_ONCE
