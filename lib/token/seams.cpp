// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/seams.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace longhaul::token {

namespace {

// A token that reaches across a border has the characters on both sides of it whole, or ends in
// the middle of one of them, or of both.
constexpr uint8_t kWhole = 1;     // both whole: look for the two characters
constexpr uint8_t kCutLeft = 2;   // the left one is cut: look for its last byte and the right one
constexpr uint8_t kCutRight = 4;  // look for the left one and the first byte of the right one
constexpr uint8_t kCutBoth = 8;   // nothing more to look for

bool is_continuation(char byte) {
    return (static_cast<uint8_t>(byte) & 0xC0) == 0x80;
}
/// Bytes of a character by its lead byte; 1 for a byte that is none.
size_t length_of(char lead) {
    const auto byte = static_cast<uint8_t>(lead);
    return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}
/// The bytes of at most one character as a number.
uint64_t number_of(std::string_view bytes) {
    uint32_t number = 0;
    std::memcpy(&number, bytes.data(), bytes.size());
    return number;
}
// Of a character of some length as a number: the bits that tell continuation bytes, and what they
// are. Of a single byte, that it is no other.
constexpr uint32_t kMasks[] = {0, 0x80, 0xC000, 0xC0C000, 0xC0C0C000};
constexpr uint32_t kTops[] = {0, 0, 0x8000, 0x808000, 0x80808000};

/// A character of a text.
struct Character {
    uint32_t number = 0;  // as number_of()
    uint32_t length;
    Character(std::string_view text, size_t begin)
        : length(static_cast<uint32_t>(length_of(text[begin]))) {
        // Mostly more than a character can be read.
        if (begin + sizeof number <= text.size()) {
            std::memcpy(&number, text.data() + begin, sizeof number);
            number &= ~uint32_t{0} >> (32 - 8 * length);
        } else if (begin + length <= text.size()) {
            std::memcpy(&number, text.data() + begin, length);
        } else {
            number = 0x80;  // cut off: not valid
        }
    }
    bool is_valid() const { return (number & kMasks[length]) == kTops[length]; }
};
uint64_t hash(uint64_t left, uint64_t right) {
    const uint64_t product = (left << 32 | right) * 0x9E3779B97F4A7C15ull;
    return product >> 20;
}
bool is_long_lead(char byte) {
    return static_cast<uint8_t>(byte) >= 0xE0;
}
size_t index_of(char left, char right) {
    return static_cast<size_t>(static_cast<uint8_t>(left)) << 8 | static_cast<uint8_t>(right);
}

}  // namespace

Seams::Seams(const Vocabulary& vocabulary) : by_bytes_(65536) {
    // About 8 bits for each pair of characters.
    mask_ = std::bit_ceil(std::max<uint64_t>(vocabulary.size(), 1024) * 8) - 1;
    bits_.resize((mask_ + 1) / 64);
    for (uint32_t id = 0; id < vocabulary.size(); ++id) add(vocabulary.bytes(id));
}

void Seams::add(std::string_view token) {
    // Most tokens have nothing to do with long characters.
    if (token.size() < 2 ||
        (!is_continuation(token[0]) && std::none_of(token.begin(), token.end(), is_long_lead))) {
        return;
    }
    for (size_t border = 1; border < token.size(); ++border) {
        if (is_continuation(token[border])) continue;
        size_t begin = border - 1;
        while (begin > 0 && is_continuation(token[begin])) --begin;
        const bool cuts_left = is_continuation(token[begin]);
        if (!cuts_left && !is_long_lead(token[begin]) && !is_long_lead(token[border])) continue;
        const size_t right_length = length_of(token[border]);
        const bool cuts_right = border + right_length > token.size();
        const uint64_t left = number_of(token.substr(begin, border - begin));
        const uint64_t right = number_of(token.substr(border, right_length));
        const char last = token[border - 1], first = token[border];
        uint8_t& flags = by_bytes_[index_of(last, first)];
        if (cuts_left && cuts_right) {
            flags |= kCutBoth;
        } else if (cuts_left) {
            flags |= kCutLeft;
            set(hash(static_cast<uint8_t>(last), right));
        } else if (cuts_right) {
            flags |= kCutRight;
            set(hash(left, static_cast<uint8_t>(first)));
        } else {
            flags |= kWhole;
            set(hash(left, right));
        }
    }
}

/// Not 0 if a token may reach across the border of two characters. @param last of the left one
/// @param first byte of the right one
inline uint32_t Seams::is_crossed(uint64_t left, uint64_t right, char last, char first) const {
    const uint8_t flags = by_bytes_[index_of(last, first)];
    // Without branches: whether a border is a seam can not be foretold.
    return (flags & kCutBoth) | (flags & kWhole & get(hash(left, right))) |
           (flags / kCutLeft & get(hash(static_cast<uint8_t>(last), right))) |
           (flags / kCutRight & get(hash(left, static_cast<uint8_t>(first))));
}

size_t Seams::cut(std::string_view piece, std::span<uint32_t> ends) const {
    size_t count = 0;
    Character left(piece, 0);
    size_t border = left.length;
    while (border < piece.size() && left.is_valid()) {
        // Characters of three bytes one after the other, as long as four bytes can be read.
        for (uint32_t right = 0; left.length == 3 && border + sizeof right <= piece.size();) {
            std::memcpy(&right, piece.data() + border, sizeof right);
            if ((right & 0xC0C0F0) != 0x8080E0) break;
            right &= 0xFFFFFF;
            ends[count] = static_cast<uint32_t>(border);
            count += is_crossed(left.number, right, piece[border - 1], piece[border]) == 0 ? 1 : 0;
            if (count == ends.size()) return count;
            left.number = right;
            border += 3;
        }
        const Character right(piece, border);
        if (!right.is_valid()) break;  // where the text is not well-formed, nothing is known
        const bool is_long = left.length >= 3 || right.length >= 3;
        if (is_long &&
            is_crossed(left.number, right.number, piece[border - 1], piece[border]) == 0) {
            ends[count++] = static_cast<uint32_t>(border);
        }
        if (count == ends.size()) return count;
        left = right;
        border += right.length;
    }
    ends[count++] = static_cast<uint32_t>(piece.size());
    return count;
}

}  // namespace longhaul::token
