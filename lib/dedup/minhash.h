// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// MinHash signatures by SIMD (Highway, best target chosen at run time), and the keys of their
// bands.

#include <cstdint>
#include <span>
#include <vector>

#include "lib/dedup/parameters.h"

namespace longhaul::dedup {

/// Permutations of one scheme and size. Immutable after construction: share it among threads.
///
/// native: h_i(x) = a_i * (x >> 32) + b_i mod 2^32 with odd a_i, so that every h_i is a
/// permutation. datatrove: h_i(x) = ((a_i * x + b_i) mod 2^64) mod (2^61 - 1), a and b as numpy's
/// RandomState(1).randint draws them. @source datatrove 0.10.1, pipeline/dedup/minhash.py
class MinHasher {
 public:
    explicit MinHasher(const Parameters& parameters);

    int num_hashes() const { return num_hashes_; }
    /// The minimum of every permutation over the shingles.
    /// @param shingles not empty
    /// @param[out] signature num_hashes() values; 32 bits each when the scheme is native
    void sign(std::span<const uint64_t> shingles, std::span<uint64_t> signature) const;
    /// One 64-bit key for each band of a signature; the band's number is part of the hash.
    void band_keys(std::span<const uint64_t> signature, std::span<uint64_t> keys) const;

    // The constants, for tests: a then b.
    std::span<const uint64_t> multipliers() const { return {a64_.data(), size_t(num_hashes_)}; }
    std::span<const uint64_t> offsets() const { return {b64_.data(), size_t(num_hashes_)}; }

 private:
    Scheme scheme_;
    int bands_, rows_, num_hashes_;
    // Padded to whole vectors with permutations whose results are thrown away.
    std::vector<uint32_t> a32_, b32_;
    std::vector<uint64_t> a64_, b64_;
};

/// The SIMD target in use, such as "AVX3": for reports.
const char* simd_target();

namespace detail {
/// Longest vectors used: those of AVX-512.
inline constexpr int kMaxLanes32 = 16;
/// Padded length of an array of `count` permutations: whole vectors of any target.
constexpr int padded(int count) {
    return (count + kMaxLanes32 - 1) / kMaxLanes32 * kMaxLanes32;
}
// Both take arrays of padded(count) elements and write as many minima.
void min_hash_32(std::span<const uint64_t> shingles, std::span<const uint32_t> a,
                 std::span<const uint32_t> b, std::span<uint32_t> minima);
void min_hash_61(std::span<const uint64_t> shingles, std::span<const uint64_t> a,
                 std::span<const uint64_t> b, std::span<uint64_t> minima);
}  // namespace detail

}  // namespace longhaul::dedup
