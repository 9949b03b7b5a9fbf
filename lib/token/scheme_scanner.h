// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The scanners of lib/token/scheme.h, as templates over the scheme so that each becomes one loop.
// Each alternative of a pattern is one `if` in the pattern's order.

#include "lib/token/scheme_falcon.h"
#include "lib/token/scheme_rules.h"

namespace longhaul::token::detail {

template <Scheme kScheme>
class Scanner {
 public:
    explicit Scanner(std::string_view text) : text_(text) {}

    /// End of the piece that starts at `begin`.
    size_t next(size_t begin) const {
        if constexpr (kRules.family == Family::kGpt2) return next_gpt2(begin);
        if constexpr (kRules.family == Family::kO200k) return next_o200k(begin);
        if constexpr (kRules.family == Family::kDeepSeek) return next_deepseek(begin);
        return next_cl100k(begin);
    }

 private:
    static constexpr Rules kRules = rules_of(kScheme);
    // Where an earlier step of the scheme has cut, the later ones see the end of a text.
    static constexpr uint16_t kCuts = kScheme == Scheme::kStarCoder    ? kNumber
                                      : kScheme == Scheme::kDeepSeekV3 ? kCjk | kNumber
                                                                       : 0;

    Char any_at(size_t position) const { return char_at<kScheme>(text_, position); }
    /// The character for the scheme's last step.
    Char at(size_t position) const {
        const Char c = any_at(position);
        return c.classes & kCuts ? Char{0, 0} : c;
    }
    uint8_t byte(size_t position) const {
        return position < text_.size() ? static_cast<uint8_t>(text_[position]) : 0;
    }
    /// End of the run of characters that have one of `classes` and are not cut off.
    size_t run(size_t position, uint16_t classes) const {
        while (position < text_.size()) {
            const Char c = any_at(position);
            if (!(c.classes & classes) || (c.classes & kCuts & ~classes)) break;
            position += c.length;
        }
        return position;
    }
    size_t numbers(size_t position) const {
        for (int i = 0; i < kRules.max_digits; ++i) {
            const Char c = any_at(position);
            if (!(c.classes & kNumber)) break;
            position += c.length;
        }
        return position;
    }

    /// Bytes of a contraction ('s 't 're 've 'm 'll 'd) at `position`, or 0. Ignoring case, U+017F
    /// (LONG S) is an s.
    template <bool kIgnoreCase>
    size_t contraction(size_t position) const {
        if (!kRules.has_contractions || byte(position) != '\'') return 0;
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
        Char c = at(position);
        for (; c.classes & kSpace; c = at(position)) {
            last_start = position;
            position += c.length;
            if (c.classes & kBreak) after_break = position;
        }
        if (kTakeBreaks && after_break != 0) return after_break;
        // The last character is left to the word that follows, unless it is the only one.
        return c.classes == 0 || last_start == begin ? position : last_start;
    }

    size_t next_gpt2(size_t begin) const {
        if (const size_t length = contraction<false>(begin)) return begin + length;
        if (kScheme == Scheme::kStarCoder && (any_at(begin).classes & kNumber)) {
            return numbers(begin);
        }
        const bool is_blank = byte(begin) == ' ';
        const Char head = at(begin + is_blank);
        const uint16_t kind = head.classes & (kLetter | kNumber | kOther);
        if (kind != 0) return run(begin + is_blank + head.length, kind);
        return white_space<false>(begin);
    }

    size_t next_cl100k(size_t begin) const {
        if (const size_t length = contraction<true>(begin)) return begin + length;
        const Char c = at(begin);
        if (c.classes & kLetter) return run(begin + c.length, kLetter);
        if (!(c.classes & (kBreak | kNumber))) {
            const Char after = at(begin + c.length);
            if (after.classes & kLetter) return run(begin + c.length + after.length, kLetter);
        }
        if (c.classes & kNumber) return numbers(begin);
        const size_t other = run_of_other(begin, c);
        if (other != begin) return line_breaks(other);
        if constexpr (kRules.end_space_is_whole) {  // `\s++$` comes before the line breaks
            const size_t end = run(begin, kSpace);
            if (end == text_.size()) return end;
        }
        return white_space<true>(begin);
    }

    /// `[\r\n]*`, or `[\r\n/]*`
    size_t line_breaks(size_t end) const {
        while (byte(end) == '\r' || byte(end) == '\n' ||
               (kRules.others_take_slash && byte(end) == '/')) {
            ++end;
        }
        return end;
    }

    /// ` ?[others]+`, or `begin` when it does not match.
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
        if (c.classes & kHan) return run(begin, kHan);
        const bool may_lead = !(c.classes & (kBreak | kLetter | kNumber));
        const size_t led = begin + c.length;
        size_t end = begin;
        if (may_lead && (end = upper_then_lower(led)) != led) return end + contraction<true>(end);
        if ((end = upper_then_lower(begin)) != begin) return end + contraction<true>(end);
        if (may_lead && (end = upper_first(led)) != led) return end + contraction<true>(end);
        if ((end = upper_first(begin)) != begin) return end + contraction<true>(end);
        if (c.classes & kNumber) return numbers(begin);
        end = run_of_other(begin, c);
        return end != begin ? line_breaks(end) : white_space<true>(begin);
    }

    static bool is_ascii_letter(uint8_t byte) {
        return static_cast<uint8_t>((byte | 0x20) - 'a') < 26;
    }
    size_t next_deepseek(size_t begin) const {
        const Char c = any_at(begin);
        if (c.classes & kNumber) return numbers(begin);
        if (c.classes & kCjk) return next_cjk(begin, c.classes);
        if (is_ascii_punctuation(byte(begin)) && is_ascii_letter(byte(begin + 1))) {
            size_t end = begin + 2;
            while (is_ascii_letter(byte(end))) ++end;
            return end;
        }
        if (c.classes & kLetter) return run(begin, kLetter);
        const bool may_lead = !(c.classes & (kBreak | kOther));
        if (may_lead && (at(begin + c.length).classes & kLetter)) {
            return run(begin + c.length, kLetter);
        }
        const size_t other = run_of_other(begin, c);
        if (other != begin) return line_breaks(other);
        if (c.classes & kSpace) return white_space<true>(begin);
        return gap(begin);
    }
    /// The last step inside a run of CJK: letters, others, and gaps, one of which may lead letters.
    size_t next_cjk(size_t begin, uint16_t classes) const {
        const auto end_of = [&](size_t position, uint16_t kind) {
            for (;;) {
                const Char c = any_at(position);
                if (!(c.classes & kCjk) || !(c.classes & kind)) return position;
                position += c.length;
            }
        };
        if (!(classes & kGap)) return end_of(begin, classes & (kLetter | kOther));
        const size_t end = end_of(begin, kGap), letters = end_of(end, kLetter);
        if (letters == end) return end;
        constexpr size_t kLength = 3;  // bytes of every one of them
        return end - begin == kLength ? letters : end - kLength;
    }
    /// What lies between matches: up to a character that begins one.
    size_t gap(size_t begin) const {
        Char c = at(begin);
        size_t position = begin;
        do {
            position += c.length;
            c = at(position);
        } while ((c.classes & kGap) && !(at(position + c.length).classes & kLetter));
        return position;
    }

    std::string_view text_;
};

/// In scheme_falcon.h.
template <>
class Scanner<Scheme::kFalcon> : public FalconScanner {
 public:
    using FalconScanner::FalconScanner;
};

}  // namespace longhaul::token::detail

namespace longhaul::token {

template <class Visit>
void for_each_piece(Scheme scheme, std::string_view text, Visit&& visit) {
    with_scheme(scheme, [&](auto tag) {
        const detail::Scanner<decltype(tag)::value> scanner(text);
        for (size_t begin = 0; begin < text.size();) {
            const size_t end = scanner.next(begin);
            visit(text.substr(begin, end - begin));
            begin = end;
        }
    });
}

}  // namespace longhaul::token
