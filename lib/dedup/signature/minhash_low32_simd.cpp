// SPDX-License-Identifier: BSD-3-Clause
// MinHash of datasketch's permutations, h(x) = ((a x + b mod 2^64) mod 2^61-1) mod 2^32, compiled
// once for every SIMD target.
//
// With s = a x + b mod 2^64, h is (s mod 2^32) + q mod 2^32, where q = s / (2^61-1) is at most 8.
// So the least h is found among those x for which t = s + 8 mod 2^32, an affine map of 32 bits, is
// at most 8 above the least t: one pass with 32-bit numbers finds that, and the few x near it are
// computed exactly. Where the least t is below 8, s may wrap: there every x is computed exactly.
#include <algorithm>
#include <bit>
#include <vector>

#include "lib/dedup/signature/minhash.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/dedup/signature/minhash_low32_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace longhaul::dedup {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<uint32_t, detail::kMaxLanes16 / 2>;
using V = hn::Vec<D>;

constexpr uint32_t kMostQuotient = 8;
constexpr size_t kLeastBlock = 16;  // shingles; smaller ones cost more than they save
constexpr size_t kMostBlocks = 1024;

/// A document's shingles, and the constants of a tile of permutations.
struct Tile {
    std::span<const uint64_t> shingles;
    size_t block;               // shingles
    const uint32_t *a32, *b32;  // low halves; b32 is 8 more
    const uint64_t *a64, *b64;
    uint64_t* minima;
};

HWY_INLINE uint64_t exact(const Tile& tile, size_t permutation, uint64_t shingle) {
    constexpr uint64_t kPrime = (uint64_t{1} << 61) - 1;
    const uint64_t sum = tile.a64[permutation] * (shingle & 0xFFFFFFFF) + tile.b64[permutation];
    return sum % kPrime & 0xFFFFFFFF;
}

HWY_INLINE V shifted(uint64_t shingle, V a, V b) {
    const D d;
    return hn::Add(hn::Mul(hn::Set(d, static_cast<uint32_t>(shingle)), a), b);
}

HWY_INLINE hn::Mask<D> at_most(V value, V limit) {
    return hn::Eq(hn::Min(value, limit), value);
}

/// The least t of every block and permutation, block after block. @return those of all blocks
template <int N>
void block_minima(const Tile& tile, uint32_t* of_blocks, V (&least)[N]) {
    const D d;
    const size_t lanes = hn::Lanes(d);
    for (int i = 0; i < N; ++i) least[i] = hn::Set(d, ~uint32_t{0});
    for (size_t begin = 0; begin < tile.shingles.size(); begin += tile.block) {
        const size_t end = std::min(begin + tile.block, tile.shingles.size());
        V here[N];
        for (int i = 0; i < N; ++i) here[i] = hn::Set(d, ~uint32_t{0});
        for (size_t x = begin; x < end; ++x) {
            for (int i = 0; i < N; ++i) {
                const size_t at = static_cast<size_t>(i) * lanes;
                here[i] = hn::Min(here[i], shifted(tile.shingles[x], hn::LoadU(d, tile.a32 + at),
                                                   hn::LoadU(d, tile.b32 + at)));
            }
        }
        for (int i = 0; i < N; ++i) {
            least[i] = hn::Min(least[i], here[i]);
            hn::StoreU(here[i], d, of_blocks);
            of_blocks += lanes;
        }
    }
}

/// Computes exactly what is near the least t, for the vector of permutations at `first`.
void refine(const Tile& tile, size_t begin, size_t first, V limit) {
    const D d;
    const V a = hn::LoadU(d, tile.a32 + first), b = hn::LoadU(d, tile.b32 + first);
    const size_t end = std::min(begin + tile.block, tile.shingles.size());
    for (size_t x = begin; x < end; ++x) {
        const auto is_near = at_most(shifted(tile.shingles[x], a, b), limit);
        if (hn::AllFalse(d, is_near)) continue;
        uint8_t bits[8] = {};
        hn::StoreMaskBits(d, is_near, bits);
        unsigned left = bits[0] | bits[1] << 8;
        for (; left != 0; left &= left - 1) {
            const size_t permutation = first + static_cast<size_t>(std::countr_zero(left));
            uint64_t& minimum = tile.minima[permutation];
            minimum = std::min(minimum, exact(tile, permutation, tile.shingles[x]));
        }
    }
}

template <int N>
void low32_tile(const Tile& tile, std::vector<uint32_t>& scratch) {
    const D d;
    const size_t lanes = hn::Lanes(d);
    const size_t blocks = (tile.shingles.size() + tile.block - 1) / tile.block;
    scratch.resize(blocks * N * lanes);
    V limit[N];
    block_minima<N>(tile, scratch.data(), limit);
    const V all = hn::Set(d, ~uint32_t{0});
    for (int i = 0; i < N; ++i) {
        const V least = limit[i];
        const V far = hn::Add(least, hn::Set(d, kMostQuotient));
        const auto may_wrap = hn::Or(hn::Lt(least, hn::Set(d, kMostQuotient)), hn::Lt(far, least));
        limit[i] = hn::IfThenElse(may_wrap, all, far);
    }
    std::fill_n(tile.minima, N * lanes, ~uint64_t{0});
    const uint32_t* of_block = scratch.data();
    for (size_t begin = 0; begin < tile.shingles.size(); begin += tile.block) {
        for (int i = 0; i < N; ++i, of_block += lanes) {
            const auto is_near = at_most(hn::LoadU(d, of_block), limit[i]);
            if (hn::AllFalse(d, is_near)) continue;
            refine(tile, begin, static_cast<size_t>(i) * lanes, limit[i]);
        }
    }
}

/// The last `vectors` < N vectors, in one tile.
template <int N>
void low32_rest(size_t vectors, const Tile& tile, std::vector<uint32_t>& scratch) {
    if constexpr (N > 1) {
        if (vectors == N - 1) return low32_tile<N - 1>(tile, scratch);
        low32_rest<N - 1>(vectors, tile, scratch);
    }
}

void low32_minima(std::span<const uint64_t> shingles, const detail::Low32Constants& constants,
                  std::span<uint64_t> minima) {
    thread_local std::vector<uint32_t> scratch;
    const size_t lanes = hn::Lanes(D());
    constexpr size_t kTile = 7;
    const size_t block = std::max(kLeastBlock, (shingles.size() + kMostBlocks - 1) / kMostBlocks);
    for (size_t first = 0; first < minima.size(); first += kTile * lanes) {
        const Tile tile{shingles,
                        block,
                        &constants.a32[first],
                        &constants.b32[first],
                        &constants.a64[first],
                        &constants.b64[first],
                        &minima[first]};
        const size_t vectors = (minima.size() - first) / lanes;
        if (vectors >= kTile) {
            low32_tile<kTile>(tile, scratch);
        } else {
            low32_rest<kTile>(vectors, tile, scratch);
        }
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace longhaul::dedup
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::dedup {

HWY_EXPORT(low32_minima);

void detail::min_hash_low32(std::span<const uint64_t> shingles, const Low32Constants& constants,
                            std::span<uint64_t> minima) {
    HWY_DYNAMIC_DISPATCH(low32_minima)(shingles, constants, minima);
}

}  // namespace longhaul::dedup
#endif  // HWY_ONCE
