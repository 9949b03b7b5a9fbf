// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Counter-based random numbers: Philox4x32-10. A draw is a pure function of (seed, purpose, step,
// element), never of a rank, a thread or a call order, so every layout draws the same numbers.
// Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC'11, sections 3.3 and 4.
// Header-only on purpose: the CUDA kernels compile the same code (LH_HOST_DEVICE).

#include <array>
#include <cstdint>

#ifdef __CUDACC__
#define LH_HOST_DEVICE __host__ __device__
#else
#define LH_HOST_DEVICE
#endif

namespace longhaul {

/// What a random number is for; a different purpose is an independent stream.
enum class RandomPurpose : uint32_t {
    kInit = 1,
    kDropout = 2,
    kStochasticRounding = 3,
    kDataOrder = 4,
    kSampling = 5,  // text generation
    kTest = 99,
};

struct PhiloxBlock {
    uint32_t word[4];
};

/// Ten rounds over a 128-bit counter with a 64-bit key.
LH_HOST_DEVICE inline PhiloxBlock philox4x32(PhiloxBlock counter, uint32_t key0, uint32_t key1) {
    for (int round = 0; round < 10; ++round) {
        const uint64_t product0 = uint64_t{0xD2511F53u} * counter.word[0];
        const uint64_t product1 = uint64_t{0xCD9E8D57u} * counter.word[2];
        const auto high0 = static_cast<uint32_t>(product0 >> 32);
        const auto high1 = static_cast<uint32_t>(product1 >> 32);
        counter = {{high1 ^ counter.word[1] ^ key0, static_cast<uint32_t>(product1),
                    high0 ^ counter.word[3] ^ key1, static_cast<uint32_t>(product0)}};
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return counter;
}

/// 128 random bits for (seed, purpose, stream, step, element). `stream` tells apart tensors
/// (for example a hash of the name); `step` must be below 2^24 * 256.
/// Counter layout: [element low, element high, step, purpose << 24 ^ stream high]; key: seed mixed
/// with the stream's low half.
struct PhiloxKey {
    uint64_t seed = 0;
    RandomPurpose purpose = RandomPurpose::kTest;
    uint64_t stream = 0;
    uint32_t step = 0;
};

LH_HOST_DEVICE inline PhiloxBlock philox_draw(const PhiloxKey& key, uint64_t element) {
    const auto stream_low = static_cast<uint32_t>(key.stream);
    const auto stream_high = static_cast<uint32_t>(key.stream >> 32);
    const PhiloxBlock counter{{static_cast<uint32_t>(element), static_cast<uint32_t>(element >> 32),
                               key.step, (static_cast<uint32_t>(key.purpose) << 24) ^ stream_high}};
    return philox4x32(counter, static_cast<uint32_t>(key.seed) ^ stream_low,
                      static_cast<uint32_t>(key.seed >> 32));
}

/// Uniform in [0, 1) with 53 bits, from two words of a block.
LH_HOST_DEVICE inline double uniform_double(uint32_t high, uint32_t low) {
    const uint64_t bits = (uint64_t{high} << 32 | low) >> 11;
    return static_cast<double>(bits) * 0x1.0p-53;
}

}  // namespace longhaul
