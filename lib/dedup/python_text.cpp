// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/python_text.h"

#include <array>

#include "lib/text/unicode.h"

namespace longhaul::dedup {

namespace {

constexpr bool is_ascii_punctuation(unsigned char c) {
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
}

/// The first position from `begin` on where `Test` holds of the byte.
template <class Test>
size_t find_byte(std::string_view text, size_t begin, Test test) {
    while (begin < text.size() && !test(static_cast<unsigned char>(text[begin]))) ++begin;
    return begin;
}

}  // namespace

bool is_python_space(char32_t c) {
    return text::is_white_space(c) || (c >= 0x1C && c <= 0x1F);
}

bool is_python_word(char32_t c) {
    return text::is_word(c);
}

void append_without_punctuation(std::string_view text, std::string& out) {
    out.reserve(out.size() + text.size());
    for (size_t i = 0; i < text.size();) {
        const size_t end = find_byte(text, i, is_ascii_punctuation);
        out.append(text, i, end - i);
        i = find_byte(text, end, [](unsigned char c) { return !is_ascii_punctuation(c); });
    }
}

void append_collapsed(std::string_view text, std::string& out) {
    const size_t first = out.size();
    bool is_after_space = true;
    out.reserve(first + text.size());
    for (size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const auto decoded =
            byte < 0x80 ? text::Decoded{byte, 1, true} : text::decode_utf8(text, i);
        if (is_python_space(decoded.code_point)) {
            if (!is_after_space) out += ' ';
            is_after_space = true;
        } else {
            out.append(text, i, decoded.length);
            is_after_space = false;
        }
        i += decoded.length;
    }
    if (out.size() > first && is_after_space) out.pop_back();
}

}  // namespace longhaul::dedup
