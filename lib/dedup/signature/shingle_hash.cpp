// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/signature/shingle_hash.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "lib/base/hash.h"
#include "lib/dedup/signature/numpy_random.h"
#include "lib/dedup/signature/sha1.h"

namespace longhaul::dedup {

namespace {

static_assert(kShinglePadding >= kSha1Padding);

constexpr uint64_t kNativeSeed = 0x243F6A8885A308D3;  // digits of pi; part of the native scheme
constexpr uint64_t kTextDedupSeed = 42;

/// NeMo Curator seeds the hash with the first multiplier that it draws.
uint32_t first_nemo_draw() {
    constexpr uint32_t kSeed = 42, kPrime31 = (uint32_t{1} << 31) - 1;
    return static_cast<uint32_t>(NumpyRandom(kSeed).array_32(1, kPrime31, 1).front());
}

uint64_t nemo_hash(std::string_view shingle, uint32_t seed) {
    // cudf marks places without a shingle by 0, so it makes 1 of a hash that is 0. The high half
    // is ours, for comparing sets.
    const uint32_t low = std::max(murmur3_32(shingle, seed), 1u);
    return (xxh3_64(shingle) & 0xFFFFFFFF00000000) | low;
}

}  // namespace

uint32_t murmur3_32(std::string_view bytes, uint32_t seed) {
    constexpr uint32_t kFactor1 = 0xCC9E2D51, kFactor2 = 0x1B873593;
    const auto scramble = [](uint32_t k) { return std::rotl(k * kFactor1, 15) * kFactor2; };
    uint32_t hash = seed;
    size_t i = 0;
    for (; i + 4 <= bytes.size(); i += 4) {
        uint32_t k = 0;
        std::memcpy(&k, bytes.data() + i, sizeof k);
        hash = std::rotl(hash ^ scramble(k), 13) * 5 + 0xE6546B64;
    }
    uint32_t tail = 0;
    for (size_t j = bytes.size(); j > i; --j) {
        tail = tail << 8 | static_cast<unsigned char>(bytes[j - 1]);
    }
    hash ^= scramble(tail);
    hash ^= static_cast<uint32_t>(bytes.size());
    hash = (hash ^ hash >> 16) * 0x85EBCA6B;
    hash = (hash ^ hash >> 13) * 0xC2B2AE35;
    return hash ^ hash >> 16;
}

ShingleHasher::ShingleHasher(Scheme scheme) : scheme_(scheme) {
    if (scheme == Scheme::kNemo) murmur_seed_ = first_nemo_draw();
}

void ShingleHasher::finish(std::vector<uint64_t>& hashes) {
    const std::span<const std::string_view> batch(batch_.data(), size_);
    const size_t first = hashes.size();
    hashes.resize(first + size_);
    size_ = 0;
    const auto each = [&](auto&& hash) {
        std::transform(batch.begin(), batch.end(), hashes.begin() + static_cast<ptrdiff_t>(first),
                       hash);
    };
    switch (scheme_) {
        case Scheme::kNative:
            return each([](std::string_view shingle) { return xxh3_64(shingle, kNativeSeed); });
        case Scheme::kDatatrove:
            return each([](std::string_view shingle) { return xxh64(shingle); });
        case Scheme::kDatatroveSha1:
        case Scheme::kSlimpajama:
        case Scheme::kRpv2:
        case Scheme::kBigcode:
            return sha1_prefixes(batch, hashes.data() + first);
        case Scheme::kTextDedup:
        case Scheme::kTextDedup32:
            return each([](std::string_view shingle) { return xxh3_64(shingle, kTextDedupSeed); });
        case Scheme::kTextDedup16:  // its base hash is the first two bytes, without the seed
            return each([](std::string_view shingle) { return xxh3_128(shingle).high; });
        case Scheme::kNemo:
            return each([&](std::string_view shingle) { return nemo_hash(shingle, murmur_seed_); });
    }
}

}  // namespace longhaul::dedup
