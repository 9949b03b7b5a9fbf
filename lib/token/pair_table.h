// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Tokens numbered in the order in which merging makes them, each made of two earlier ones, and the
// way back from a pair to what it makes. Most pairs that are asked for make nothing: a set of bits,
// small enough for a near cache, says so.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/token/vocabulary.h"

namespace longhaul::token {

/// Filled, then immutable.
class PairTable {
 public:
    struct Pair {
        uint32_t left, right;
    };
    static constexpr uint32_t kMost = (1u << 24) - 1;  // numbers are below

    /// @param most how many pairs will be added at most
    explicit PairTable(size_t most)
        : bits_(std::bit_ceil(most * kBitsForPair + 64) / 64),
          slots_(std::bit_ceil(most * 2 + 1), kFree),
          bit_shift_(64 - static_cast<int>(std::bit_width(bits_.size() * 64 - 1))) {}

    uint32_t size() const { return static_cast<uint32_t>(pairs_.size()); }
    /// What a token is made of; itself twice when it is made of nothing.
    const Pair& operator[](uint32_t number) const { return pairs_[number]; }

    /// Numbers a token that is made of nothing.
    void add_single() { pairs_.push_back({size(), size()}); }
    /// Numbers the token made of two, which make no other.
    void add(uint32_t left, uint32_t right) {
        const uint64_t key = hash(left, right);
        bits_[key >> bit_shift_ >> 6] |= uint64_t{1} << (key >> bit_shift_ & 63);
        size_t slot = slot_of(key);
        while (slots_[slot] != kFree) slot = (slot + 1) & (slots_.size() - 1);
        slots_[slot] = size() << 8 | tag_of(key);
        pairs_.push_back({left, right});
    }
    /// The number of what two tokens make, or kNoToken.
    uint32_t find(uint32_t left, uint32_t right) const {
        const uint64_t key = hash(left, right);
        if ((bits_[key >> bit_shift_ >> 6] >> (key >> bit_shift_ & 63) & 1) == 0) return kNoToken;
        for (size_t slot = slot_of(key); slots_[slot] != kFree;
             slot = (slot + 1) & (slots_.size() - 1)) {
            if ((slots_[slot] & 0xFF) != tag_of(key)) continue;
            const uint32_t number = slots_[slot] >> 8;
            if (pairs_[number].left == left && pairs_[number].right == right) return number;
        }
        return kNoToken;
    }

 private:
    static constexpr size_t kBitsForPair = 8;
    static constexpr uint32_t kFree = ~uint32_t{0};

    static uint64_t hash(uint32_t left, uint32_t right) {
        const uint64_t product = (uint64_t{left} << 24 | right) * 0x9E3779B97F4A7C15ull;
        return product ^ product >> 32;
    }
    // The set has the top bits, the slots have others.
    size_t slot_of(uint64_t key) const { return (key >> 8) & (slots_.size() - 1); }
    static uint32_t tag_of(uint64_t key) { return static_cast<uint32_t>(key & 0xFF); }

    std::vector<Pair> pairs_;  // by number
    std::vector<uint64_t> bits_;
    std::vector<uint32_t> slots_;  // number << 8 | tag
    int bit_shift_;
};

}  // namespace longhaul::token
