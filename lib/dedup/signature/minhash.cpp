// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/signature/minhash.h"

#include <algorithm>
#include <string_view>

#include "lib/base/check.h"
#include "lib/base/hash.h"
#include "lib/dedup/signature/numpy_random.h"

namespace longhaul::dedup {

namespace {

constexpr uint64_t kPrime61 = (uint64_t{1} << 61) - 1;
constexpr uint32_t kPrime31 = (uint32_t{1} << 31) - 1;
constexpr uint32_t kPrime32 = 0xFFFFFFFBu;            // 2^32 - 5
constexpr uint32_t kPrime16 = 0xFFF1u;                // 2^16 - 15
constexpr uint64_t kNativeSeed = 0x6C6F6E676861756C;  // "longhaul"; part of the native scheme

/// @source Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014.
uint64_t split_mix(uint64_t& state) {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

struct Constants {
    std::vector<uint64_t> a, b;
};

Constants native_constants(size_t count) {
    Constants constants;
    uint64_t state = kNativeSeed;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t draw = split_mix(state);
        constants.a.push_back((draw & 0xFFFFFFFF) | 1);
        constants.b.push_back(draw >> 32);
    }
    return constants;
}

/// All a, then all b.
template <class Draw>
Constants in_arrays(Draw&& draw, size_t count) {
    Constants constants;
    constants.a = draw(1, count);
    constants.b = draw(0, count);
    return constants;
}

/// a and b in turn.
template <class Draw>
Constants in_pairs(Draw&& draw, size_t count) {
    Constants constants;
    for (size_t i = 0; i < count; ++i) {
        constants.a.push_back(draw(1, 1).front());
        constants.b.push_back(draw(0, 1).front());
    }
    return constants;
}

/// The constants that the program of the scheme draws.
Constants constants_of(const Parameters& parameters) {
    const auto used = static_cast<size_t>(parameters.num_hashes());
    const auto drawn = static_cast<size_t>(parameters.num_permutations());
    constexpr uint32_t kDatatroveSeed = 1, kDatasketchSeed = 1, kUsualSeed = 42;
    NumpyRandom first(kDatatroveSeed), usual(kUsualSeed);
    const auto draw_61 = [](NumpyRandom& random) {
        return [&random](uint64_t low, size_t n) { return random.array_64(low, kPrime61, n); };
    };
    static_assert(kDatatroveSeed == kDatasketchSeed);
    switch (parameters.scheme) {
        case Scheme::kNative:
            return native_constants(used);
        case Scheme::kDatatrove:
        case Scheme::kDatatroveSha1:
            return in_arrays(draw_61(first), used);
        case Scheme::kSlimpajama:
            return in_pairs(draw_61(first), used);
        case Scheme::kRpv2:
        case Scheme::kBigcode:
            return in_pairs(draw_61(usual), used);
        case Scheme::kTextDedup:
            return in_arrays(draw_61(usual), drawn);
        case Scheme::kTextDedup32:
            return in_arrays(
                [&](uint32_t low, size_t n) { return usual.array_32(low, kPrime32, n); }, drawn);
        case Scheme::kTextDedup16:
            return in_arrays(
                [&](uint16_t low, size_t n) { return usual.array_16(low, kPrime16, n); }, drawn);
        case Scheme::kNemo:
            return in_pairs(
                [&](uint32_t low, size_t n) { return usual.array_32(low, kPrime31, n); }, used);
    }
    return {};
}

}  // namespace

Family family_of(Scheme scheme) {
    switch (scheme) {
        case Scheme::kNative:
            return Family::kAffineHigh32;
        case Scheme::kDatatrove:
        case Scheme::kDatatroveSha1:
            return Family::kMod61;
        case Scheme::kSlimpajama:
        case Scheme::kRpv2:
        case Scheme::kBigcode:
        case Scheme::kTextDedup:
            return Family::kMod61Low32;
        case Scheme::kTextDedup32:
            return Family::kMod32;
        case Scheme::kTextDedup16:
            return Family::kMod16;
        case Scheme::kNemo:
            return Family::kAffineLow32;
    }
    return Family::kAffineHigh32;
}

MinHasher::MinHasher(const Parameters& parameters)
    : family_(family_of(parameters.scheme)),
      bands_(parameters.bands),
      rows_(parameters.rows),
      num_hashes_(parameters.num_hashes()) {
    Constants constants = constants_of(parameters);
    const auto padded = static_cast<size_t>(detail::padded(num_hashes_));
    a64_ = std::move(constants.a);
    b64_ = std::move(constants.b);
    a64_.resize(static_cast<size_t>(num_hashes_));
    b64_.resize(static_cast<size_t>(num_hashes_));
    a64_.resize(padded, 1);
    b64_.resize(padded, 0);
    const auto narrow = [&](auto& a, auto& b) {
        a.assign(a64_.begin(), a64_.end());
        b.assign(b64_.begin(), b64_.end());
    };
    if (family_ == Family::kMod16) {
        narrow(a16_, b16_);
    } else if (family_ != Family::kMod61) {
        narrow(a32_, b32_);
    }
    if (family_ == Family::kMod61Low32) {
        for (uint32_t& b : b32_) b += 8;  // see minhash_low32_simd.cpp
    }
}

template <class Word, class MinHash>
void MinHasher::sign_words(MinHash&& min_hash, std::span<uint64_t> signature) const {
    thread_local std::vector<Word> minima;
    minima.resize(a64_.size());
    min_hash(std::span(minima));
    std::copy_n(minima.begin(), signature.size(), signature.begin());
}

void MinHasher::sign(std::span<const uint64_t> shingles, std::span<uint64_t> signature) const {
    LH_CHECK(!shingles.empty() && signature.size() == static_cast<size_t>(num_hashes_),
             "a signature of {} values from {} shingles", signature.size(), shingles.size());
    const auto plain = [&](const auto& a, const auto& b) {
        return [&](auto minima) { detail::min_hash(family_, shingles, a, b, minima); };
    };
    switch (family_) {
        case Family::kMod16:
            return sign_words<uint16_t>(plain(a16_, b16_), signature);
        case Family::kMod61:
            return sign_words<uint64_t>(plain(a64_, b64_), signature);
        case Family::kMod61Low32:
            return sign_words<uint64_t>(
                [&](std::span<uint64_t> minima) {
                    detail::min_hash_low32(shingles, {a64_, b64_, a32_, b32_}, minima);
                },
                signature);
        default:
            return sign_words<uint32_t>(plain(a32_, b32_), signature);
    }
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
