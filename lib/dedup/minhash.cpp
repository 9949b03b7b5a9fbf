// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/minhash.h"

#include <algorithm>
#include <random>
#include <string_view>

#include "lib/base/check.h"
#include "lib/base/hash.h"

namespace longhaul::dedup {

namespace {

constexpr uint64_t kPrime61 = (uint64_t{1} << 61) - 1;
constexpr uint64_t kNativeSeed = 0x6C6F6E676861756C;  // "longhaul"; part of the native scheme

/// @source Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014.
uint64_t split_mix(uint64_t& state) {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

/// numpy's RandomState.randint(low, 2^61 - 1, dtype=uint64): Mersenne Twister, masked rejection.
uint64_t numpy_draw(std::mt19937& twister, uint64_t low) {
    const uint64_t range = kPrime61 - 1 - low;
    while (true) {
        const uint64_t high_word = twister();
        const uint64_t value = (high_word << 32 | twister()) & kPrime61;
        if (value <= range) return low + value;
    }
}

}  // namespace

MinHasher::MinHasher(const Parameters& parameters)
    : scheme_(parameters.scheme),
      bands_(parameters.bands),
      rows_(parameters.rows),
      num_hashes_(parameters.num_hashes()) {
    const auto padded = static_cast<size_t>(detail::padded(num_hashes_));
    const auto count = static_cast<size_t>(num_hashes_);
    a64_.assign(padded, 1);
    b64_.assign(padded, 0);
    if (scheme_ == Scheme::kDatatrove) {
        std::mt19937 twister(1);
        for (size_t i = 0; i < count; ++i) a64_[i] = numpy_draw(twister, 1);
        for (size_t i = 0; i < count; ++i) b64_[i] = numpy_draw(twister, 0);
        return;
    }
    uint64_t state = kNativeSeed;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t draw = split_mix(state);
        a64_[i] = (draw & 0xFFFFFFFF) | 1;
        b64_[i] = draw >> 32;
    }
    a32_.assign(a64_.begin(), a64_.end());
    b32_.assign(b64_.begin(), b64_.end());
}

void MinHasher::sign(std::span<const uint64_t> shingles, std::span<uint64_t> signature) const {
    LH_CHECK(!shingles.empty() && signature.size() == static_cast<size_t>(num_hashes_),
             "a signature of {} values from {} shingles", signature.size(), shingles.size());
    if (scheme_ == Scheme::kDatatrove) {
        thread_local std::vector<uint64_t> minima;
        minima.resize(a64_.size());
        detail::min_hash_61(shingles, a64_, b64_, minima);
        std::copy_n(minima.begin(), signature.size(), signature.begin());
        return;
    }
    thread_local std::vector<uint32_t> minima;
    minima.resize(a32_.size());
    detail::min_hash_32(shingles, a32_, b32_, minima);
    std::copy_n(minima.begin(), signature.size(), signature.begin());
}

void MinHasher::band_keys(std::span<const uint64_t> signature, std::span<uint64_t> keys) const {
    const auto rows = static_cast<size_t>(rows_);
    for (size_t band = 0; band < static_cast<size_t>(bands_); ++band) {
        const uint64_t* values = signature.data() + band * rows;
        const std::string_view bytes(reinterpret_cast<const char*>(values), rows * sizeof *values);
        keys[band] = xxh3_64(bytes, band);
    }
}

}  // namespace longhaul::dedup
