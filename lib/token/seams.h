// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Places in a text that no token of a vocabulary reaches across. Merging never crosses one, so what
// is before and behind it can be encoded by itself. Chinese and Japanese, whose pieces are long and
// hardly ever repeat, fall into short parts that do.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lib/token/vocabulary.h"

namespace longhaul::token {

/// Immutable. Knows borders of characters of three bytes or more only, and may miss some.
class Seams {
 public:
    explicit Seams(const Vocabulary& vocabulary);
    /// Finds the first seams in `piece`, and its end. @param piece not empty, below 4 GiB
    /// @param[out] ends not empty @return how many are written, at least 1
    size_t cut(std::string_view piece, std::span<uint32_t> ends) const;

 private:
    void add(std::string_view token);
    uint32_t is_crossed(uint64_t left, uint64_t right, char last, char first) const;
    void set(uint64_t key) { bits_[(key & mask_) / 64] |= uint64_t{1} << (key % 64); }
    uint32_t get(uint64_t key) const {
        return static_cast<uint32_t>(bits_[(key & mask_) / 64] >> (key % 64) & 1);
    }

    // What tokens reach across a border between two bytes, by these: flags of seams.cpp.
    std::vector<uint8_t> by_bytes_;
    // A set of the characters on both sides, by hashes; what it has too many costs a seam.
    std::vector<uint64_t> bits_;
    uint64_t mask_ = 0;
};

}  // namespace longhaul::token
