// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The two loops over bytes behind lib/text/normalize.h, by SIMD (Highway, best target chosen at run
// time); for that file and its template only.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace longhaul::text::detail {

/// Both loops work on so many bytes at once, as one 64-bit mask for each class of characters.
inline constexpr size_t kBlock = 64;

/// Where a normalisation stands.
struct Progress {
    size_t position = 0;      // next byte of the text to read
    char* out = nullptr;      // next byte to write; kBlock bytes behind the last one are writable
    bool after_space = true;  // the last character written was a collapsible space
};

/// Writes ASCII of `text` from `progress.position` on: lower case, numbers as 0, runs of everything
/// else as one space. Stops at the end, at a byte that is not ASCII, or before a number that it
/// leaves to the caller: one that touches such a byte, one like "1.2.3", one of more than kBlock
/// bytes. Progress is made, or the byte at the position is a digit or not ASCII.
void normalize_ascii(std::string_view text, Progress& progress);

/// A place where a word ends: a space, or a character of a script without spaces.
/// Packed: (offset << 3) | bytes of the character.
using Break = uint32_t;
inline constexpr size_t kBreakChunk = 4096;  // bytes looked at in one call
/// Room that find_breaks needs; it writes up to sixteen at a time.
inline constexpr size_t kMaxBreaks = kBreakChunk + 16;

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

/// is_unspaced() of the characters below U+10000, one bit each.
extern const std::array<uint64_t, 1024> kUnspacedBits;

/// Breaks among `size` bytes of well-formed UTF-8, in order. Bytes up to a multiple of kBlock, and
/// three more, are read (their values do not matter).
/// @param size at most kBreakChunk. @return number of breaks written
size_t find_breaks(const char* bytes, size_t size, Break* breaks);

}  // namespace longhaul::text::detail
