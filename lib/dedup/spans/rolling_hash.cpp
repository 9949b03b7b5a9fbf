// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/spans/rolling_hash.h"

#include "lib/base/check.h"

namespace longhaul::dedup {

namespace {

constexpr uint64_t kPrime = (uint64_t{1} << 61) - 1;
constexpr uint64_t kBases[2] = {0x13198A2E03707344, 0x082EFA98EC4E6C89};  // digits of pi, < kPrime

uint64_t times(uint64_t a, uint64_t b) {
    __extension__ using uint128 = unsigned __int128;
    const uint128 product = static_cast<uint128>(a) * b;
    const uint64_t sum =
        (static_cast<uint64_t>(product) & kPrime) + static_cast<uint64_t>(product >> 61);
    return sum >= kPrime ? sum - kPrime : sum;
}
uint64_t plus(uint64_t a, uint64_t b) {
    return a + b >= kPrime ? a + b - kPrime : a + b;
}
uint64_t value_of(char c) {
    return static_cast<unsigned char>(c);
}

}  // namespace

RollingHash::RollingHash(size_t window_bytes) : window_bytes_(window_bytes), leaving_{1, 1} {
    for (int k = 0; k < 2; ++k) {
        for (size_t i = 1; i < window_bytes; ++i) leaving_[k] = times(leaving_[k], kBases[k]);
    }
}

void RollingHash::start(std::string_view window) {
    LH_CHECK(window.size() == window_bytes_, "a window of {} bytes", window.size());
    for (int k = 0; k < 2; ++k) {
        sums_[k] = 0;
        for (const char c : window) sums_[k] = plus(times(sums_[k], kBases[k]), value_of(c));
    }
}

void RollingHash::roll(char leaving, char entering) {
    for (int k = 0; k < 2; ++k) {
        const uint64_t gone = times(leaving_[k], value_of(leaving));
        const uint64_t rest = plus(sums_[k], kPrime - gone);
        sums_[k] = plus(times(rest, kBases[k]), value_of(entering));
    }
}

}  // namespace longhaul::dedup
