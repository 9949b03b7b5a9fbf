// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/signature/numpy_random.h"

#include <bit>

namespace longhaul::dedup {

namespace {

/// Draws until the masked value is in the range.
template <class Word>
std::vector<uint64_t> rejection(uint64_t low, uint64_t high, size_t count, Word&& word) {
    const uint64_t range = high - 1 - low;
    const uint64_t mask = ~uint64_t{0} >> std::countl_zero(range);
    std::vector<uint64_t> values;
    values.reserve(count);
    while (values.size() < count) {
        const uint64_t value = word() & mask;
        if (value <= range) values.push_back(low + value);
    }
    return values;
}

}  // namespace

std::vector<uint64_t> NumpyRandom::array_64(uint64_t low, uint64_t high, size_t count) {
    return rejection(low, high, count, [&] {
        const uint64_t high_word = twister_();
        return high_word << 32 | twister_();
    });
}

std::vector<uint64_t> NumpyRandom::array_32(uint32_t low, uint32_t high, size_t count) {
    return rejection(low, high, count, [&] { return uint64_t{twister_()}; });
}

std::vector<uint64_t> NumpyRandom::array_16(uint16_t low, uint32_t high, size_t count) {
    uint32_t buffer = 0;
    bool has_half = false;
    return rejection(low, high, count, [&] {
        if (has_half) {
            buffer >>= 16;
        } else {
            buffer = static_cast<uint32_t>(twister_());
        }
        has_half = !has_half;
        return uint64_t{buffer & 0xFFFF};
    });
}

}  // namespace longhaul::dedup
