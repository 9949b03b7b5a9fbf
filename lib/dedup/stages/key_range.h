// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Ranges of equal width that the keys of a band are cut into: keys are hashes, so each holds about
// as many.

#include <cstdint>

namespace longhaul::dedup {

/// The range of a key.
constexpr uint64_t range_of(uint64_t key, uint64_t num_ranges) {
    return static_cast<uint64_t>(static_cast<__uint128_t>(key) * num_ranges >> 64);
}
/// The least key of a range.
constexpr uint64_t first_key(uint64_t range, uint64_t num_ranges) {
    const __uint128_t scaled = static_cast<__uint128_t>(range) << 64;
    return static_cast<uint64_t>((scaled + num_ranges - 1) / num_ranges);
}
/// The greatest key of a range.
constexpr uint64_t last_key(uint64_t range, uint64_t num_ranges) {
    return range + 1 == num_ranges ? ~uint64_t{0} : first_key(range + 1, num_ranges) - 1;
}

}  // namespace longhaul::dedup
