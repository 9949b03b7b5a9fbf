// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/hf_unicode.h"

#include <algorithm>

#include "lib/text/unicode.h"
#include "lib/token/hf_unicode_tables.h"

namespace longhaul::token::hf {

namespace {

template <class Range>
const Range* find(const Range* table, size_t size, char32_t c) {
    const Range* const end = table + size;
    const Range* found = std::lower_bound(
        table, end, c, [](const Range& range, char32_t key) { return range.last < key; });
    return found != end && found->first <= c ? found : nullptr;
}

/// New in Unicode 17.0: digits of Tolong Siki and signs of Chinese small numbers.
bool is_newer_digit(char32_t c) {
    return (c >= 0x11DE0 && c <= 0x11DE9) || (c >= 0x16FF4 && c <= 0x16FF6);
}

}  // namespace

bool is_punctuation(char32_t c) {
    if (c < 128) {
        return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
               (c >= '{' && c <= '~');
    }
    return find(tables::kPunctuation8, tables::kNumPunctuation8, c) != nullptr;
}

bool is_nonspacing_mark(char32_t c) {
    return c >= 0x300 && find(tables::kNonspacingMarks8, tables::kNumNonspacingMarks8, c);
}

bool is_other(char32_t c) {
    if (c < 128) return c < ' ' || c == 127;
    return find(tables::kOthers8, tables::kNumOthers8, c) != nullptr;
}

bool is_combining_mark(char32_t c) {
    return c >= 0x300 && find(tables::kMarks9, tables::kNumMarks9, c);
}

bool is_numeric(char32_t c) {
    if (c < 128) return c >= '0' && c <= '9';
    return text::is_number(c) || is_newer_digit(c);
}

bool has_newer_digits(std::string_view text) {
    constexpr char kLeadByte = '\xF0';  // of all of them, and rare
    for (size_t i = text.find(kLeadByte); i != std::string_view::npos;
         i = text.find(kLeadByte, i + 1)) {
        if (is_newer_digit(text::decode_utf8(text, i).code_point)) return true;
    }
    return false;
}

void append_lower(char32_t c, std::string& out) {
    // New in Unicode 17.0: three Latin letters and Beria Erfe.
    if (c == 0xA7CE || c == 0xA7D2 || c == 0xA7D4) {
        text::append_utf8(c + 1, out);
    } else if (c >= 0x16EA0 && c <= 0x16EB8) {
        text::append_utf8(c + 0x1B, out);
    } else {
        text::append_lower(c, out);
    }
}

uint8_t script(char32_t c) {
    const tables::ScriptRange* found = find(tables::kScripts9, tables::kNumScripts9, c);
    return found == nullptr ? 0 : found->script;
}

}  // namespace longhaul::token::hf
