// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/order.h"

#include <algorithm>
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

uint64_t num_windows(uint64_t num_tokens, uint64_t seq_len) {
    if (seq_len == 0) throw UsageError("a sample of 0 tokens");
    const uint64_t windows = num_tokens > 0 ? (num_tokens - 1) / seq_len : 0;
    if (windows == 0) {
        throw UsageError(format("the data set has {} tokens, one sample of seq_len {} needs {}",
                                num_tokens, seq_len, seq_len + 1));
    }
    return windows;
}

SampleOrder::SampleOrder(uint64_t num_items, uint64_t seed, Hash128 data,
                         const SampleSettings& settings)
    : num_items_(num_items),
      seed_(seed),
      stream_(data.high ^ data.low),
      kind_(settings.order),
      block_(settings.order_block),
      blocks_of_window_(settings.order_window) {
    LH_CHECK(num_items >= 1 && kind_ != OrderKind::kMegatron, "{} items", num_items);
    if (kind_ == OrderKind::kBlock) return;
    block_ = num_items;
    blocks_of_window_ = 1;
}

uint64_t SampleOrder::item(uint64_t sample) const {
    const uint64_t epoch = sample / num_items_, i = sample % num_items_;
    if (kind_ == OrderKind::kSequential) return i;
    if (kind_ == OrderKind::kBlock) return block_item(epoch, i);
    // One key schedule per call: 8 Philox blocks, about 100 ns, so no state is kept per epoch.
    return Permutation(num_items_, seed_, stream_ + epoch)(i);
}

SampleOrder::Epoch SampleOrder::block_epoch(uint64_t epoch) const {
    // Streams of an epoch: 0 the rotation, 1 the blocks, 2 + w window w. Far from other epochs'.
    const uint64_t stream = (stream_ + epoch) * 0x9E3779B97F4A7C15ull;
    return {stream, Permutation(num_items_, seed_, stream)(0)};
}

uint64_t SampleOrder::block_at(const Epoch& epoch, uint64_t slot) const {
    const uint64_t whole = num_items_ / block_;
    if (slot >= whole) return whole;  // the short block comes last; the rotation moves it about
    return Permutation(whole, seed_, epoch.stream + 1)(slot);
}

uint64_t SampleOrder::block_item(uint64_t epoch, uint64_t i) const {
    const Epoch blocks = block_epoch(epoch);
    const uint64_t window = i / window_samples(), begin = window * window_samples();
    const uint64_t size = std::min(window_samples(), num_items_ - begin);
    const uint64_t at = begin + Permutation(size, seed_, blocks.stream + 2 + window)(i - begin);
    const uint64_t block = block_at(blocks, at / block_);
    return (block * block_ + at % block_ + blocks.rotation) % num_items_;
}

std::vector<ItemRange> SampleOrder::window_items(uint64_t sample) const {
    std::vector<ItemRange> ranges;
    if (kind_ != OrderKind::kBlock) return ranges;
    const Epoch blocks = block_epoch(sample / num_items_);
    const uint64_t begin = sample % num_items_ / window_samples() * window_samples();
    const uint64_t end = std::min(begin + window_samples(), num_items_);
    for (uint64_t at = begin; at < end; at += block_) {
        const uint64_t count = std::min(block_, end - at);
        const uint64_t block = block_at(blocks, at / block_);
        const uint64_t first = (block * block_ + blocks.rotation) % num_items_;
        const uint64_t until_end = std::min(count, num_items_ - first);
        ranges.push_back({first, until_end});
        if (until_end < count) ranges.push_back({0, count - until_end});
    }
    return ranges;
}

}  // namespace longhaul::shards
