// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The scanner of Falcon's pre-tokeniser: runs of punctuation, the pattern of GPT-2 between them
// (without contractions: the apostrophe is punctuation), and then in the byte alphabet
// (lib/token/byte_level.h) runs of digits, which are cut into threes where they are ASCII. Six
// continuation bytes are digits there too, so characters are cut inside: "\u00F2" is 0xC3 0xB2,
// and 0xB2 is shown as U+00B2, SUPERSCRIPT TWO. Source: tokenizer.json of tiiuae/falcon-7b.

#include <algorithm>

#include "lib/token/scheme_rules.h"

namespace longhaul::token::detail {

constexpr bool is_ascii_digit(char byte) {
    return byte >= '0' && byte <= '9';
}
/// True for bytes that the byte alphabet shows as numbers: digits, and U+00B2, U+00B3, U+00B9,
/// U+00BC, U+00BD and U+00BE, which stand for themselves.
constexpr bool is_byte_digit(char character) {
    const auto byte = static_cast<uint8_t>(character);
    return is_ascii_digit(character) || byte == 0xB2 || byte == 0xB3 || byte == 0xB9 ||
           (byte >= 0xBC && byte <= 0xBE);
}

class FalconScanner {
 public:
    explicit FalconScanner(std::string_view text) : text_(text) {}

    /// End of the piece that starts at `begin`, maybe inside a character.
    size_t next(size_t begin) const {
        constexpr uint16_t kKinds = kLetter | kNumber | kOther | kMark;
        const size_t first = character_around(begin);
        const Char c = at(first);
        if (!(c.classes & kSpace)) return cut_bytes(first, begin, c.classes & kKinds);
        const Char after = text_[begin] == ' ' ? at(begin + 1) : Char{0, 0};
        const uint16_t kind = after.classes & kKinds & ~kMark;
        return kind == 0 ? white_space(begin) : cut_bytes(begin + 1, begin, kind);
    }

 private:
    Char at(size_t position) const { return char_at<Scheme::kFalcon>(text_, position); }

    /// Start of the character that byte `at` belongs to.
    size_t character_around(size_t at) const {
        const auto is_continuation = [&](size_t i) { return (text_[i] & 0xC0) == 0x80; };
        size_t first = at;
        while (first > 0 && at - first < 3 && is_continuation(first)) --first;
        return text::decode_utf8(text_, first).length > at - first ? first : at;
    }

    /// End of the piece from `begin` on, all of whose characters from `position` on are of `kind`.
    size_t cut_bytes(size_t position, size_t begin, uint16_t kind) const {
        const bool is_digits = is_byte_digit(text_[begin]);
        for (Char c = at(position); c.classes & kind; c = at(position)) {
            if (is_digits && is_ascii_digit(text_[position])) return cut_threes(position, begin);
            for (size_t i = std::max(position, begin + 1); i < position + c.length; ++i) {
                if (is_byte_digit(text_[i]) != is_digits) return i;
            }
            position += c.length;
        }
        return position;
    }
    /// At ASCII digits, before which other digits may be.
    size_t cut_threes(size_t position, size_t begin) const {
        size_t end = position;
        while (end < text_.size() && end - position < 3 && is_ascii_digit(text_[end])) ++end;
        return end - position == 3 && position != begin ? position : end;
    }

    /// `\s+(?!\S)|\s+`, where punctuation is the end of a text.
    size_t white_space(size_t begin) const {
        size_t position = begin, last = begin;
        Char c = at(position);
        for (; c.classes & kSpace; c = at(position)) {
            last = position;
            position += c.length;
        }
        const bool is_end = c.classes == 0 || (c.classes & kMark);
        return is_end || last == begin ? position : last;
    }

    std::string_view text_;
};

}  // namespace longhaul::token::detail
