// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// MinHash signatures by SIMD (Highway, best target chosen at run time), and the keys of their
// bands.

#include <cstdint>
#include <span>
#include <vector>

#include "lib/dedup/signature/parameters.h"

namespace longhaul::dedup {

/// Families of permutations h(x) = (a x + b ...) of a scheme. The base hash x is a part of the
/// 64-bit hash of a shingle.
enum class Family : uint8_t {
    kAffineHigh32,  // x: high half; a x + b mod 2^32, every a odd, so that h is a permutation
    kAffineLow32,   // x: low half; a x + b mod 2^32. @source cudf, cpp/src/text/minhash.cu
    kMod61,         // x: all; (a x + b mod 2^64) mod 2^61-1. @source datatrove 0.10.1
    kMod61Low32,    // x: low half; low 32 bits of the same. @source datasketch 1.6.5
    kMod32,         // x: low half; (a x + b mod 2^32) mod 2^32-5. @source text-dedup, hash_bits 32
    kMod16,         // x: high 16 bits; (a x + b mod 2^16) mod 2^16-15. @source the same, 16
};
Family family_of(Scheme scheme);

/// Permutations of one scheme and size. Immutable after construction: share it among threads.
class MinHasher {
 public:
    explicit MinHasher(const Parameters& parameters);

    int num_hashes() const { return num_hashes_; }
    /// The minimum of every permutation over the shingles: the program's own values.
    /// @param shingles not empty
    /// @param[out] signature num_hashes() values
    void sign(std::span<const uint64_t> shingles, std::span<uint64_t> signature) const;
    /// One 64-bit key for each band of a signature; the band's number is part of the hash.
    void band_keys(std::span<const uint64_t> signature, std::span<uint64_t> keys) const;

    // The constants, for tests: a then b.
    std::span<const uint64_t> multipliers() const { return {a64_.data(), size_t(num_hashes_)}; }
    std::span<const uint64_t> offsets() const { return {b64_.data(), size_t(num_hashes_)}; }

 private:
    template <class Word, class MinHash>
    void sign_words(MinHash&& min_hash, std::span<uint64_t> signature) const;

    Family family_;
    int bands_, rows_, num_hashes_;
    // Padded to whole vectors with permutations whose results are thrown away.
    std::vector<uint16_t> a16_, b16_;
    std::vector<uint32_t> a32_, b32_;
    std::vector<uint64_t> a64_, b64_;
};

/// The SIMD target in use, such as "AVX3": for reports.
const char* simd_target();

namespace detail {
/// Longest vectors used: those of AVX-512.
inline constexpr int kMaxLanes16 = 32;
/// Padded length of an array of `count` permutations: whole vectors of any target and type.
constexpr int padded(int count) {
    return (count + kMaxLanes16 - 1) / kMaxLanes16 * kMaxLanes16;
}
// All take arrays of padded(count) elements and write as many minima.
void min_hash(Family family, std::span<const uint64_t> shingles, std::span<const uint16_t> a,
              std::span<const uint16_t> b, std::span<uint16_t> minima);
void min_hash(Family family, std::span<const uint64_t> shingles, std::span<const uint32_t> a,
              std::span<const uint32_t> b, std::span<uint32_t> minima);
void min_hash(Family family, std::span<const uint64_t> shingles, std::span<const uint64_t> a,
              std::span<const uint64_t> b, std::span<uint64_t> minima);

/// Constants of Family::kMod61Low32, padded(count) of each.
struct Low32Constants {
    std::span<const uint64_t> a64, b64;
    std::span<const uint32_t> a32, b32;  // low halves; b32 plus 8
};
void min_hash_low32(std::span<const uint64_t> shingles, const Low32Constants& constants,
                    std::span<uint64_t> minima);
}  // namespace detail

}  // namespace longhaul::dedup
