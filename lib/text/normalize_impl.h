// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The template of lib/text/normalize.h.

#include <bit>
#include <cstring>

#include "lib/text/normalize.h"

namespace longhaul::text {

namespace detail {

/// The character at `p` of valid UTF-8 whose lead byte is >= 0xE0; `length` receives 3 or 4.
inline char32_t decode_long(const char* p, size_t& length) {
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(p[i]); };
    if (byte(0) < 0xF0) {
        length = 3;
        return (byte(0) & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    }
    length = 4;
    return (byte(0) & 0x07u) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 |
           (byte(3) & 0x3Fu);
}

}  // namespace detail

template <class Visit>
void for_each_word(std::string_view normalized, Visit&& visit) {
    constexpr uint64_t kOnes = 0x0101010101010101;
    constexpr uint64_t kHighs = 0x80 * kOnes;
    const char* p = normalized.data();
    const char* const end = p + normalized.size();
    const char* word = p;
    const auto close_word = [&](const char* stop) {
        if (stop > word) visit(word, static_cast<size_t>(stop - word));
    };
    while (p < end) {
        // The first of eight bytes that is a space (a zero byte after the xor) or not ASCII.
        uint64_t bytes = 0;
        std::memcpy(&bytes, p, sizeof bytes);
        const uint64_t no_space = bytes ^ ' ' * kOnes;
        const uint64_t special = (((no_space - kOnes) & ~no_space) | bytes) & kHighs;
        if (special == 0) {
            p += sizeof bytes;
            continue;
        }
        p += std::countr_zero(special) / 8;
        if (p >= end) break;
        const auto lead = static_cast<uint8_t>(*p);
        if (lead == ' ') {
            close_word(p);
            word = ++p;
        } else if (lead < 0xE0) {  // no script without spaces below U+0800
            p += 2;
        } else {
            size_t length = 0;
            const char32_t c = detail::decode_long(p, length);
            if (is_unspaced(c)) {
                close_word(p);
                visit(p, length);
                word = p + length;
            }
            p += length;
        }
    }
    close_word(end);
}

}  // namespace longhaul::text
