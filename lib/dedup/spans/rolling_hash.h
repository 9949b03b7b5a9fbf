// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A hash of a window that moves over a text byte by byte: two polynomials modulo 2^61 - 1 (Karp and
// Rabin 1987). Two different windows of n bytes are equal in both with a probability of about
// (n / 2^61)^2.

#include <cstdint>
#include <string_view>

#include "lib/base/hash.h"

namespace longhaul::dedup {

class RollingHash {
 public:
    explicit RollingHash(size_t window_bytes);

    void start(std::string_view window);
    /// Moves by one byte.
    void roll(char leaving, char entering);
    Hash128 value() const { return {sums_[0], sums_[1]}; }

 private:
    size_t window_bytes_;
    uint64_t leaving_[2];  // factors of the byte that leaves
    uint64_t sums_[2] = {};
};

}  // namespace longhaul::dedup
