// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The scanners of lib/token/scheme.h, as templates over the scheme so that each becomes one loop.
// Each alternative of a pattern is one `if` in the pattern's order.

#include <array>
#include <cstdint>

#include "lib/text/unicode.h"
#include "lib/token/scheme.h"

namespace longhaul::token::detail {

// Classes of characters, as bits. Every character has exactly one of the first four.
enum Class : uint8_t {
    kLetter = 1,  // \p{L}
    kNumber = 2,  // \p{N}
    kSpace = 4,   // \s
    kOther = 8,   // [^\s\p{L}\p{N}]
    kUpper = 16,  // [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]
    kLower = 32,  // [\p{Ll}\p{Lm}\p{Lo}\p{M}]
    kBreak = 64,  // [\r\n]
};

constexpr uint8_t class_of_properties(unsigned properties) {
    using text::Category;
    const auto category = static_cast<Category>(properties & 31);
    const uint32_t bit = 1u << (properties & 31);
    if (properties & 32) return kSpace;
    if (category == Category::kLu || category == Category::kLt) return kLetter | kUpper;
    if (category == Category::kLl) return kLetter | kLower;
    if (bit & text::kLetters) return kLetter | kUpper | kLower;
    if (bit & text::kNumbers) return kNumber;
    if (bit & text::kMarks) return kOther | kUpper | kLower;
    return kOther;
}
inline constexpr std::array<uint8_t, 64> kClassOfProperties = [] {
    std::array<uint8_t, 64> table{};
    for (unsigned i = 0; i < 64; ++i) table[i] = class_of_properties(i);
    return table;
}();
inline constexpr std::array<uint8_t, 128> kClassOfAscii = [] {
    std::array<uint8_t, 128> table{};
    for (unsigned c = 0; c < 128; ++c) {
        const bool is_upper = c >= 'A' && c <= 'Z', is_lower = c >= 'a' && c <= 'z';
        const bool is_digit = c >= '0' && c <= '9', is_space = c == ' ' || (c >= 9 && c <= 13);
        table[c] = is_upper   ? kLetter | kUpper
                   : is_lower ? kLetter | kLower
                   : is_digit ? kNumber
                   : is_space ? kSpace
                              : kOther;
        if (c == '\r' || c == '\n') table[c] |= kBreak;
    }
    return table;
}();

/// A character's classes and length.
struct Char {
    uint8_t classes;  // 0 at the end of the text
    uint8_t length;
};

class Scanner {
 public:
    explicit Scanner(std::string_view text) : text_(text) {}

    template <Scheme kScheme>
    size_t next(size_t begin) const {
        if constexpr (kScheme == Scheme::kGpt2) return next_gpt2(begin);
        if constexpr (kScheme == Scheme::kO200k) return next_o200k(begin);
        return next_cl100k<kScheme>(begin);
    }

 private:
    Char at(size_t position) const {
        if (position >= text_.size()) return {0, 0};
        const auto byte = static_cast<uint8_t>(text_[position]);
        if (byte < 0x80) return {kClassOfAscii[byte], 1};
        const text::Decoded decoded = text::decode_utf8(text_, position);
        return {kClassOfProperties[text::detail::properties(decoded.code_point) & 63],
                decoded.length};
    }
    uint8_t byte(size_t position) const {
        return position < text_.size() ? static_cast<uint8_t>(text_[position]) : 0;
    }
    /// End of the run of characters that have one of `classes`.
    size_t run(size_t position, uint8_t classes) const {
        while (position < text_.size()) {
            const Char c = at(position);
            if (!(c.classes & classes)) break;
            position += c.length;
        }
        return position;
    }

    /// Bytes of a contraction ('s 't 're 've 'm 'll 'd) at `position`, or 0. Ignoring case, U+017F
    /// (LONG S) is an s.
    template <bool kIgnoreCase>
    size_t contraction(size_t position) const {
        if (byte(position) != '\'') return 0;
        const auto letter = [&](size_t i) -> uint8_t {
            const uint8_t c = byte(position + i);
            return kIgnoreCase && c >= 'A' && c <= 'Z' ? static_cast<uint8_t>(c + 32) : c;
        };
        const uint8_t first = letter(1), second = letter(2);
        if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
        if ((first == 'r' || first == 'v') && second == 'e') return 3;
        if (first == 'l' && second == 'l') return 3;
        if (kIgnoreCase && byte(position + 1) == 0xC5 && byte(position + 2) == 0xBF) return 3;
        return 0;
    }

    /// `\s*[\r\n]+` where kTakeBreaks, then `\s+(?!\S)|\s+`, at a white space character.
    template <bool kTakeBreaks>
    size_t white_space(size_t begin) const {
        size_t position = begin, last_start = begin, after_break = 0;
        while (position < text_.size()) {
            const Char c = at(position);
            if (!(c.classes & kSpace)) break;
            last_start = position;
            position += c.length;
            if (c.classes & kBreak) after_break = position;
        }
        if (kTakeBreaks && after_break != 0) return after_break;
        // The last character is left to the word that follows, unless it is the only one.
        const bool is_at_end = position == text_.size();
        return is_at_end || last_start == begin ? position : last_start;
    }

    size_t next_gpt2(size_t begin) const {
        if (const size_t length = contraction<false>(begin)) return begin + length;
        const Char c = at(begin);
        const bool is_blank = byte(begin) == ' ';
        const Char head = is_blank ? at(begin + 1) : c;
        const uint8_t kind = head.classes & (kLetter | kNumber | kOther);
        if (kind != 0) return run(begin + is_blank + head.length, kind);
        return white_space<false>(begin);
    }

    template <Scheme kScheme>
    size_t next_cl100k(size_t begin) const {
        constexpr int max_digits = kScheme == Scheme::kQwen2 ? 1 : 3;
        if (const size_t length = contraction<true>(begin)) return begin + length;
        const Char c = at(begin);
        if (c.classes & kLetter) return run(begin + c.length, kLetter);
        if (!(c.classes & (kBreak | kNumber))) {
            const Char after = at(begin + c.length);
            if (after.classes & kLetter) return run(begin + c.length + after.length, kLetter);
        }
        if (c.classes & kNumber) return digits(begin, max_digits);
        const size_t other = run_of_other(begin, c);
        if (other != begin) {
            size_t end = other;
            while (byte(end) == '\r' || byte(end) == '\n') ++end;
            return end;
        }
        if constexpr (kScheme == Scheme::kCl100k) {  // `\s++$` comes before the line breaks
            const size_t end = run(begin, kSpace);
            if (end == text_.size()) return end;
        }
        return white_space<true>(begin);
    }

    size_t digits(size_t position, int max_digits) const {
        for (int i = 0; i < max_digits; ++i) {
            const Char c = at(position);
            if (!(c.classes & kNumber)) break;
            position += c.length;
        }
        return position;
    }

    /// ` ?[^\s\p{L}\p{N}]+`, or `begin` when it does not match.
    size_t run_of_other(size_t begin, Char c) const {
        if (c.classes & kOther) return run(begin + c.length, kOther);
        if (byte(begin) != ' ') return begin;
        const Char after = at(begin + 1);
        return after.classes & kOther ? run(begin + 1 + after.length, kOther) : begin;
    }

    /// `[Upper]*[Lower]+` from `begin`, or `begin`. One pass: remembers the last character of the
    /// first run that the second part could have taken.
    size_t upper_then_lower(size_t begin) const {
        size_t position = begin, last_both_end = begin;
        for (;;) {
            const Char c = at(position);
            if (!(c.classes & kUpper)) break;
            position += c.length;
            if (c.classes & kLower) last_both_end = position;
        }
        const size_t end = run(position, kLower);
        return end != position ? end : last_both_end;
    }
    /// `[Upper]+[Lower]*` from `begin`, or `begin`.
    size_t upper_first(size_t begin) const {
        const size_t upper = run(begin, kUpper);
        return upper == begin ? begin : run(upper, kLower);
    }

    size_t next_o200k(size_t begin) const {
        const Char c = at(begin);
        const bool may_lead = !(c.classes & (kBreak | kLetter | kNumber));
        const size_t led = begin + c.length;
        size_t end = begin;
        if (may_lead && (end = upper_then_lower(led)) != led) return end + contraction<true>(end);
        if ((end = upper_then_lower(begin)) != begin) return end + contraction<true>(end);
        if (may_lead && (end = upper_first(led)) != led) return end + contraction<true>(end);
        if ((end = upper_first(begin)) != begin) return end + contraction<true>(end);
        if (c.classes & kNumber) return digits(begin, 3);
        end = run_of_other(begin, c);
        if (end != begin) {
            while (byte(end) == '\r' || byte(end) == '\n' || byte(end) == '/') ++end;
            return end;
        }
        return white_space<true>(begin);
    }

    std::string_view text_;
};

template <Scheme kScheme, class Visit>
void visit_pieces(std::string_view text, Visit& visit) {
    const Scanner scanner(text);
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = scanner.next<kScheme>(begin);
        visit(text.substr(begin, end - begin));
        begin = end;
    }
}

}  // namespace longhaul::token::detail

namespace longhaul::token {

template <class Visit>
void for_each_piece(Scheme scheme, std::string_view text, Visit&& visit) {
    switch (scheme) {
        case Scheme::kGpt2:
            return detail::visit_pieces<Scheme::kGpt2>(text, visit);
        case Scheme::kCl100k:
            return detail::visit_pieces<Scheme::kCl100k>(text, visit);
        case Scheme::kO200k:
            return detail::visit_pieces<Scheme::kO200k>(text, visit);
        case Scheme::kLlama3:
            return detail::visit_pieces<Scheme::kLlama3>(text, visit);
        case Scheme::kQwen2:
            return detail::visit_pieces<Scheme::kQwen2>(text, visit);
    }
}

}  // namespace longhaul::token
