// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/signature/python_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "lib/text/unicode.h"

namespace longhaul::dedup {

namespace {

/// What an ASCII character is to the steps below.
enum Kind : uint8_t { kOther = 0, kSpace = 1, kPunctuation = 2, kWord = 4 };

constexpr std::array<uint8_t, 128> make_kinds() {
    std::array<uint8_t, 128> kinds{};
    for (size_t c = 0; c < 128; ++c) {
        const bool is_alphanumeric =
            (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        uint8_t kind = kOther;
        if (c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F)) kind |= kSpace;
        if (c > ' ' && c < 0x7F && !is_alphanumeric) kind |= kPunctuation;
        if (is_alphanumeric || c == '_') kind |= kWord;
        kinds[c] = kind;
    }
    return kinds;
}
constexpr std::array<uint8_t, 128> kKinds = make_kinds();

/// Appends the characters for which `is_kept_ascii` (of the byte) or `is_kept` (of the code point)
/// holds; runs of others become one space, none at the begin and the end. The output is never
/// longer than the text, so bytes are written without growing it.
template <class IsKeptAscii, class IsKept>
void append_words(std::string_view text, std::string& out, IsKeptAscii is_kept_ascii,
                  IsKept is_kept) {
    const size_t first = out.size();
    out.resize(first + text.size());
    char* const begin = out.data() + first;
    char* p = begin;
    bool is_after_space = true;
    for (size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x80) {
            const bool is_here = is_kept_ascii(byte);
            *p = is_here ? static_cast<char>(byte) : ' ';
            p += is_here || !is_after_space ? 1 : 0;
            is_after_space = !is_here;
            ++i;
            continue;
        }
        const text::Decoded decoded = text::decode_utf8(text, i);
        const bool is_here = is_kept(decoded.code_point);
        if (is_here) {
            p = std::copy_n(text.data() + i, decoded.length, p);
        } else if (!is_after_space) {
            *p++ = ' ';
        }
        is_after_space = !is_here;
        i += decoded.length;
    }
    if (p != begin && is_after_space) --p;
    out.resize(static_cast<size_t>(p - out.data()));
}

}  // namespace

bool is_python_space(char32_t c) {
    return text::is_white_space(c) || (c >= 0x1C && c <= 0x1F);
}

void append_without_punctuation(std::string_view text, std::string& out) {
    const size_t first = out.size();
    out.resize(first + text.size());
    char* p = out.data() + first;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        *p = c;
        p += byte < 0x80 && (kKinds[byte] & kPunctuation) != 0 ? 0 : 1;
    }
    out.resize(static_cast<size_t>(p - out.data()));
}

void append_collapsed(std::string_view text, std::string& out) {
    append_words(
        text, out, [](unsigned char byte) { return (kKinds[byte] & kSpace) == 0; },
        [](char32_t c) { return !is_python_space(c); });
}

void append_python_words(std::string_view text, std::string& out) {
    append_words(
        text, out, [](unsigned char byte) { return (kKinds[byte] & kWord) != 0; },
        [](char32_t c) { return text::is_word(c); });
}

}  // namespace longhaul::dedup
