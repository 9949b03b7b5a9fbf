// SPDX-License-Identifier: BSD-3-Clause
// Which scripts are written without spaces, as a rule and as a table.
#include <array>

#include "lib/text/normalize.h"
#include "lib/text/normalize_simd.h"

namespace longhaul::text {

namespace {

constexpr bool in_unspaced_script(char32_t c) {
    if (c < 0x0E00) return false;
    if (c < 0x2E80) {
        return c <= 0x109F || (c >= 0x1780 && c <= 0x17FF) ||  // Thai, Lao, Tibetan, Burmese; Khmer
               (c >= 0x1950 && c <= 0x19FF) ||                 // Tai Le, New Tai Lue, Khmer symbols
               (c >= 0x1A20 && c <= 0x1AAD);                   // Tai Tham
    }
    if (c < 0xAC00) {
        return (c <= 0x2FDF) || (c >= 0x3005 && c <= 0x3007) || (c >= 0x3021 && c <= 0x3029) ||
               (c >= 0x3038 && c <= 0x312F && c != 0x3099 && c != 0x309A) ||    // kana, Bopomofo
               (c >= 0x31A0 && c <= 0x31FF) || (c >= 0x3400 && c <= 0xA4CF) ||  // Han, Yi
               (c >= 0xA9E0 && c <= 0xA9FF) || (c >= 0xAA60 && c <= 0xAADF);    // Burmese, Tai Viet
    }
    return (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFF66 && c <= 0xFF9F) ||
           (c >= 0x116D0 && c <= 0x1174F) ||                                  // Burmese, Ahom
           (c >= 0x16FE0 && c <= 0x18DFF) ||                                  // Tangut, Khitan
           (c >= 0x1AFF0 && c <= 0x1B2FF) || (c >= 0x20000 && c <= 0x3FFFD);  // kana, Nushu; Han
}

constexpr std::array<uint64_t, 1024> make_unspaced_bits() {
    std::array<uint64_t, 1024> bits{};
    for (char32_t c = 0; c < 0x10000; ++c) {
        if (in_unspaced_script(c)) bits[c >> 6] |= uint64_t{1} << (c & 63);
    }
    return bits;
}

}  // namespace

bool is_unspaced(char32_t c) {
    return in_unspaced_script(c);
}

namespace detail {

constinit const std::array<uint64_t, 1024> kUnspacedBits = make_unspaced_bits();

}  // namespace detail

}  // namespace longhaul::text
