// SPDX-License-Identifier: BSD-3-Clause
#include "lib/text/unicode.h"

#include <algorithm>

namespace longhaul::text {

bool is_word(char32_t c) {
    constexpr uint32_t kWord = kLetters | kMarks | (1u << static_cast<unsigned>(Category::kNd)) |
                               (1u << static_cast<unsigned>(Category::kNl)) |
                               (1u << static_cast<unsigned>(Category::kPc));
    if (detail::in_categories(c, kWord)) return true;
    // Other_Alphabetic symbols and Join_Control.
    return (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
           (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189) || c == 0x200C ||
           c == 0x200D;
}

Script script_of(char32_t c) {
    const auto* end = tables::kScripts + tables::kNumScripts;
    const auto* range = std::lower_bound(
        tables::kScripts, end, c,
        [](const tables::ScriptRange& candidate, char32_t key) { return candidate.last < key; });
    const bool inside = range != end && range->first <= c;
    return inside ? static_cast<Script>(range->script) : Script::kOther;
}

char32_t to_lower(char32_t c) {
    if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
    const auto* end = tables::kLower + tables::kNumLower;
    const auto* mapping = std::lower_bound(
        tables::kLower, end, c,
        [](const tables::CaseMapping& candidate, char32_t key) { return candidate.from < key; });
    return mapping != end && mapping->from == c ? static_cast<char32_t>(mapping->to) : c;
}

void append_lower(char32_t c, std::string& out) {
    if (c == 0x130) {  // LATIN CAPITAL LETTER I WITH DOT ABOVE: SpecialCasing.txt
        out += "i\xCC\x87";
        return;
    }
    append_utf8(to_lower(c), out);
}

Decoded decode_utf8(std::string_view text, size_t position) {
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[position + i]); };
    const uint8_t lead = byte(0);
    if (lead < 0x80) return {lead, 1, true};
    if (lead < 0xC2 || lead > 0xF4) return {kReplacement, 1, false};
    const uint8_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    // Table 3-7: the second byte's range excludes overlong forms, surrogates and > U+10FFFF.
    const uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    char32_t code_point = lead & (0x7Fu >> length);
    for (uint8_t i = 1; i < length; ++i) {
        const bool present = position + i < text.size();
        const uint8_t next = present ? byte(i) : 0;
        if (next < (i == 1 ? low : 0x80) || next > (i == 1 ? high : 0xBF)) {
            return {kReplacement, i, false};
        }
        code_point = code_point << 6 | (next & 0x3F);
    }
    return {code_point, length, true};
}

char* put_utf8(char32_t c, char* out) {
    const auto put = [&](char32_t value) { *out++ = static_cast<char>(value); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0 | c >> 6);
        put(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        put(0xE0 | c >> 12);
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    } else {
        put(0xF0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3F));
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    }
    return out;
}

void append_utf8(char32_t c, std::string& out) {
    char bytes[4];
    out.append(bytes, put_utf8(c, bytes));
}

size_t find_invalid_utf8(std::string_view text) {
    if (is_valid_utf8(text)) return std::string_view::npos;
    size_t position = 0;
    while (position < text.size()) {
        const Decoded decoded = decode_utf8(text, position);
        if (!decoded.is_valid) return position;
        position += decoded.length;
    }
    return std::string_view::npos;
}

std::string replace_invalid_utf8(std::string_view text, uint64_t& replaced) {
    std::string out;
    out.reserve(text.size() + 16);
    while (!text.empty()) {
        const size_t bad = find_invalid_utf8(text);
        out.append(text.substr(0, bad));
        if (bad == std::string_view::npos) break;
        append_utf8(kReplacement, out);
        ++replaced;
        text.remove_prefix(bad + decode_utf8(text, bad).length);
    }
    return out;
}

}  // namespace longhaul::text
