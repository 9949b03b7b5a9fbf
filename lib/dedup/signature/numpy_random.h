// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The whole numbers that numpy.random.RandomState(seed).randint draws: the constants of the
// permutations of other programs.

#include <cstdint>
#include <random>
#include <vector>

namespace longhaul::dedup {

/// Mersenne Twister with numpy's masked rejection. One call of array_*() is one call of randint
/// with size=count; array_*(low, high, 1) is also a call without a size.
/// @source numpy/random/_bounded_integers.pyx.in and src/distributions (use_masked = True).
class NumpyRandom {
 public:
    explicit NumpyRandom(uint32_t seed) : twister_(seed) {}

    /// Values from `low` to `high` - 1. @param low < high - 1
    std::vector<uint64_t> array_64(uint64_t low, uint64_t high, size_t count);
    std::vector<uint64_t> array_32(uint32_t low, uint32_t high, size_t count);
    /// One word of the twister serves two draws of an array, its low half first.
    std::vector<uint64_t> array_16(uint16_t low, uint32_t high, size_t count);

 private:
    std::mt19937 twister_;
};

}  // namespace longhaul::dedup
