// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/order.h"

#include <bit>

#include "lib/base/check.h"
#include "lib/base/philox.h"

namespace longhaul::shards {

namespace {

/// A keyed mixing of up to 32 bits (the finaliser of MurmurHash3 over value and keys).
uint32_t mix(uint32_t value, const uint32_t (&key)[2]) {
    value = (value ^ key[0]) * 0x85EBCA6Bu;
    value = (value ^ value >> 13) * 0xC2B2AE35u;
    value = (value ^ value >> 16) + key[1];
    value = (value ^ value >> 15) * 0x2C1B3C6Du;
    return value ^ value >> 16;
}

}  // namespace

Permutation::Permutation(uint64_t size, uint64_t seed, uint64_t stream) : size_(size) {
    LH_CHECK(size >= 1, "a permutation of nothing");
    const auto bits = static_cast<unsigned>(std::bit_width(size - 1));
    half_bits_ = bits < 2 ? 1 : (bits + 1) / 2;
    half_mask_ = (uint64_t{1} << half_bits_) - 1;
    for (int round = 0; round < kRounds; ++round) {
        const PhiloxKey key{seed, RandomPurpose::kDataOrder, stream, 0};
        const PhiloxBlock block = philox_draw(key, static_cast<uint64_t>(round));
        keys_[round][0] = block.word[0];
        keys_[round][1] = block.word[1];
    }
}

uint64_t Permutation::encrypt(uint64_t value) const {
    uint64_t left = value >> half_bits_, right = value & half_mask_;
    for (const auto& key : keys_) {
        const uint64_t next = left ^ (mix(static_cast<uint32_t>(right), key) & half_mask_);
        left = right;
        right = next;
    }
    return left << half_bits_ | right;
}

uint64_t Permutation::operator()(uint64_t i) const {
    LH_CHECK(i < size_, "position {} of a permutation of {}", i, size_);
    do {
        i = encrypt(i);
    } while (i >= size_);
    return i;
}

SampleOrder::SampleOrder(uint64_t num_tokens, uint64_t seq_len, uint64_t seed, Hash128 data)
    : num_windows_(0), seq_len_(seq_len), seed_(seed), stream_(data.high ^ data.low) {
    if (seq_len == 0) throw UsageError("a sample of 0 tokens");
    if (num_tokens > 0) num_windows_ = (num_tokens - 1) / seq_len;
    if (num_windows_ == 0) {
        throw UsageError(format("the data set has {} tokens, one sample of seq_len {} needs {}",
                                num_tokens, seq_len, seq_len + 1));
    }
}

uint64_t SampleOrder::window(uint64_t sample) const {
    // One key schedule per call: 8 Philox blocks, about 100 ns, so no state is kept per epoch.
    const uint64_t epoch = sample / num_windows_;
    return Permutation(num_windows_, seed_, stream_ + epoch)(sample % num_windows_);
}

}  // namespace longhaul::shards
