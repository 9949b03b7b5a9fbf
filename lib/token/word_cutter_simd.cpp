// SPDX-License-Identifier: BSD-3-Clause
// Compiled once for every SIMD target (Highway includes this file again for each).
#include <cstring>

#include "lib/token/word_cutter.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/token/word_cutter_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace longhaul::token::detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Bytes = hn::CappedTag<uint8_t, 64>;
using Vector = hn::Vec<Bytes>;

/// Calls test(vector) for 64 bytes. @return a bit for each byte
template <class Test>
HWY_INLINE uint64_t test_block(const uint8_t* bytes, const Test& test) {
    const Bytes d;
    uint64_t found = 0;
    for (size_t first = 0; first < 64; first += hn::Lanes(d)) {
        uint8_t bits[8] = {};
        hn::StoreMaskBits(d, test(hn::LoadU(d, bytes + first)), bits);
        uint64_t word = 0;
        std::memcpy(&word, bits, sizeof word);
        found |= word << first;
    }
    return found;
}

/// Bytes of `count` ones from `first` on.
HWY_INLINE auto is_in(Vector bytes, uint8_t first, uint8_t count) {
    const Bytes d;
    return hn::Lt(hn::Sub(bytes, hn::Set(d, first)), hn::Set(d, count));
}

void find_masks(const char* text, size_t num_blocks, const uint8_t* blanks, WordMasks* masks) {
    const Bytes d;
    const auto blank0 = hn::Set(d, blanks[0]), blank1 = hn::Set(d, blanks[1]);
    const auto blank2 = hn::Set(d, blanks[2]), blank3 = hn::Set(d, blanks[3]);
    for (size_t i = 0; i < num_blocks; ++i) {
        const auto* bytes = reinterpret_cast<const uint8_t*>(text) + 64 * i;
        masks[i].blanks = test_block(bytes, [&](Vector v) HWY_ATTR {
            return hn::Or(hn::Or(hn::Eq(v, blank0), hn::Eq(v, blank1)),
                          hn::Or(hn::Eq(v, blank2), hn::Eq(v, blank3)));
        });
        masks[i].letters = test_block(bytes, [&](Vector v) HWY_ATTR {
            return is_in(hn::Or(v, hn::Set(d, uint8_t{0x20})), 'a', 26);
        });
        masks[i].digits = test_block(bytes, [&](Vector v) HWY_ATTR { return is_in(v, '0', 10); });
        masks[i].line_feeds = test_block(
            bytes, [&](Vector v) HWY_ATTR { return hn::Eq(v, hn::Set(d, uint8_t{'\n'})); });
        masks[i].wide = test_block(bytes, [&](Vector v) HWY_ATTR { return is_in(v, 0x80, 0x80); });
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace longhaul::token::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::token::detail {
HWY_EXPORT(find_masks);

void find_word_masks(const char* bytes, size_t num_blocks, const std::array<uint8_t, 4>& blanks,
                     WordMasks* masks) {
    HWY_DYNAMIC_DISPATCH(find_masks)(bytes, num_blocks, blanks.data(), masks);
}

}  // namespace longhaul::token::detail
#endif  // HWY_ONCE
