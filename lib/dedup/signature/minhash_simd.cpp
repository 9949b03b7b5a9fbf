// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of MinHash, compiled once for every SIMD target (Highway includes this file again
// for each). Minima of a tile of permutations stay in registers while all shingles pass by.
#include "lib/dedup/signature/minhash.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/dedup/signature/minhash_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace longhaul::dedup {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Each family: the lane type D, the base hash of a shingle, the permutation of a vector of base
// hashes, and how minima are taken and stored.

template <int kShift>
struct Affine32 {
    using Word = uint32_t;
    using D = hn::CappedTag<uint32_t, detail::kMaxLanes16 / 2>;
    using V = hn::Vec<D>;
    D d;
    uint32_t base(uint64_t shingle) const { return static_cast<uint32_t>(shingle >> kShift); }
    V hash(V x, V a, V b) const { return hn::Add(hn::Mul(x, a), b); }
    V largest() const { return hn::Set(d, ~Word{0}); }
    V least(V one, V other) const { return hn::Min(one, other); }
};

struct Mod32 : Affine32<0> {
    // 2^32 - 5: values above it wrap to small ones, others grow and lose.
    V hash(V x, V a, V b) const {
        const V sum = Affine32<0>::hash(x, a, b);
        return hn::Min(sum, hn::Add(sum, hn::Set(d, 5u)));
    }
};

struct Mod16 {
    using Word = uint16_t;
    using D = hn::CappedTag<uint16_t, detail::kMaxLanes16>;
    using V = hn::Vec<D>;
    D d;
    uint16_t base(uint64_t shingle) const { return static_cast<uint16_t>(shingle >> 48); }
    V hash(V x, V a, V b) const {
        const V sum = hn::Add(hn::Mul(x, a), b);
        return hn::Min(sum, hn::Add(sum, hn::Set(d, uint16_t{15})));
    }
    V largest() const { return hn::Set(d, static_cast<uint16_t>(~0u)); }
    V least(V one, V other) const { return hn::Min(one, other); }
};

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

struct Mod61 {
    using Word = uint64_t;
    using D = hn::CappedTag<uint64_t, detail::kMaxLanes16 / 4>;
    using V = hn::Vec<D>;
    static constexpr uint64_t kPrime = (uint64_t{1} << 61) - 1;
    D d;
    uint64_t base(uint64_t shingle) const { return shingle; }
    V hash(V x, V a, V b) const {
        // 2^61 = 1 modulo the prime. The folded value is at most 7 above it: adding one carries
        // into bit 61 exactly when the prime must be taken off, which is adding one again.
        const V sum = hn::Add(multiply_64(d, x, a), b);
        const V prime = hn::Set(d, kPrime);
        const V folded = hn::Add(hn::And(sum, prime), hn::ShiftRight<61>(sum));
        const V carry = hn::ShiftRight<61>(hn::Add(folded, hn::Set(d, uint64_t{1})));
        return hn::And(hn::Add(folded, carry), prime);
    }
    V largest() const { return hn::Set(d, kPrime); }
    // Values are below 2^61: the signed minimum, which more targets have, is exact.
    V least(V one, V other) const {
        const hn::RebindToSigned<D> s;
        return hn::BitCast(d, hn::Min(hn::BitCast(s, one), hn::BitCast(s, other)));
    }
};

/// Minima of N vectors of permutations from `a` and `b` on.
template <class F, int N>
void min_tile(std::span<const uint64_t> shingles, const typename F::Word* a,
              const typename F::Word* b, typename F::Word* minima) {
    const F family;
    const size_t lanes = hn::Lanes(family.d);
    typename F::V least[N];
    for (int i = 0; i < N; ++i) least[i] = family.largest();
    for (const uint64_t shingle : shingles) {
        const auto x = hn::Set(family.d, family.base(shingle));
        for (int i = 0; i < N; ++i) {
            const size_t at = static_cast<size_t>(i) * lanes;
            const auto hash =
                family.hash(x, hn::LoadU(family.d, a + at), hn::LoadU(family.d, b + at));
            least[i] = family.least(least[i], hash);
        }
    }
    for (int i = 0; i < N; ++i) {
        hn::StoreU(least[i], family.d, minima + static_cast<size_t>(i) * lanes);
    }
}

/// The last `vectors` < N vectors, in one tile.
template <class F, int N>
void min_rest(size_t vectors, std::span<const uint64_t> shingles, const typename F::Word* a,
              const typename F::Word* b, typename F::Word* minima) {
    if constexpr (N > 1) {
        if (vectors == N - 1) return min_tile<F, N - 1>(shingles, a, b, minima);
        min_rest<F, N - 1>(vectors, shingles, a, b, minima);
    }
}

template <class F>
void min_all(std::span<const uint64_t> shingles, const typename F::Word* a,
             const typename F::Word* b, std::span<typename F::Word> minima) {
    const size_t lanes = hn::Lanes(typename F::D());
    // Seven: 112 permutations of 32 bits are 7 vectors of AVX-512, 14 of AVX2, 28 of SSE4; 7 minima
    // fit the 16 registers of the latter two.
    constexpr size_t kTile = 7;
    size_t first = 0;
    for (; first + kTile * lanes <= minima.size(); first += kTile * lanes) {
        min_tile<F, kTile>(shingles, a + first, b + first, &minima[first]);
    }
    if (first == minima.size()) return;
    min_rest<F, kTile>((minima.size() - first) / lanes, shingles, a + first, b + first,
                       &minima[first]);
}

void minima_16(Family, std::span<const uint64_t> shingles, const uint16_t* a, const uint16_t* b,
               std::span<uint16_t> minima) {
    min_all<Mod16>(shingles, a, b, minima);
}

void minima_32(Family family, std::span<const uint64_t> shingles, const uint32_t* a,
               const uint32_t* b, std::span<uint32_t> minima) {
    if (family == Family::kAffineHigh32) {
        min_all<Affine32<32>>(shingles, a, b, minima);
    } else if (family == Family::kAffineLow32) {
        min_all<Affine32<0>>(shingles, a, b, minima);
    } else {
        min_all<Mod32>(shingles, a, b, minima);
    }
}

void minima_64(Family, std::span<const uint64_t> shingles, const uint64_t* a, const uint64_t* b,
               std::span<uint64_t> minima) {
    min_all<Mod61>(shingles, a, b, minima);
}

const char* target_name() {
    return hwy::TargetName(HWY_TARGET);
}

}  // namespace HWY_NAMESPACE
}  // namespace longhaul::dedup
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::dedup {

HWY_EXPORT(minima_16);
HWY_EXPORT(minima_32);
HWY_EXPORT(minima_64);
HWY_EXPORT(target_name);

const char* simd_target() {
    return HWY_DYNAMIC_DISPATCH(target_name)();
}

namespace detail {

void min_hash(Family family, std::span<const uint64_t> shingles, std::span<const uint16_t> a,
              std::span<const uint16_t> b, std::span<uint16_t> minima) {
    HWY_DYNAMIC_DISPATCH(minima_16)(family, shingles, a.data(), b.data(), minima);
}

void min_hash(Family family, std::span<const uint64_t> shingles, std::span<const uint32_t> a,
              std::span<const uint32_t> b, std::span<uint32_t> minima) {
    HWY_DYNAMIC_DISPATCH(minima_32)(family, shingles, a.data(), b.data(), minima);
}

void min_hash(Family family, std::span<const uint64_t> shingles, std::span<const uint64_t> a,
              std::span<const uint64_t> b, std::span<uint64_t> minima) {
    HWY_DYNAMIC_DISPATCH(minima_64)(family, shingles, a.data(), b.data(), minima);
}

}  // namespace detail

}  // namespace longhaul::dedup
#endif  // HWY_ONCE
