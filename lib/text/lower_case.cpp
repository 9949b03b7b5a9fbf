// SPDX-License-Identifier: BSD-3-Clause
#include "lib/text/lower_case.h"

#include <string_view>

#include "lib/text/unicode.h"

namespace longhaul::text {

namespace {

// Python decides "final sigma" with the properties Cased and Case_Ignorable
// (DerivedCoreProperties.txt); after the ignorable ones are passed over, cased means this:
bool is_cased(char32_t c) {
    const Category category = general_category(c);
    return category == Category::kLu || category == Category::kLl || category == Category::kLt ||
           c == 0xAA || c == 0xBA || (c >= 0x2160 && c <= 0x217F) || (c >= 0x24B6 && c <= 0x24E9) ||
           (c >= 0x1F130 && c <= 0x1F149) || (c >= 0x1F150 && c <= 0x1F169) ||
           (c >= 0x1F170 && c <= 0x1F189);
}

bool is_case_ignorable(char32_t c) {
    switch (general_category(c)) {
        case Category::kMn:
        case Category::kMe:
        case Category::kCf:
        case Category::kLm:
        case Category::kSk:
            return true;
        default:
            break;
    }
    constexpr std::u32string_view kMidWord =
        U"'.:\u00B7\u0387\u055F\u05F4\u2018\u2019\u2024\u2027\uFE13\uFE52\uFE55\uFF07\uFF0E\uFF1A";
    return kMidWord.find(c) != std::u32string_view::npos;
}

}  // namespace

bool is_final_sigma(std::string_view text, size_t position, size_t length) {
    bool follows_cased = false;
    for (size_t i = position; i > 0;) {
        do --i;
        while (i > 0 && (static_cast<uint8_t>(text[i]) & 0xC0) == 0x80);
        const char32_t c = decode_utf8(text, i).code_point;
        if (is_case_ignorable(c)) continue;
        follows_cased = is_cased(c);
        break;
    }
    if (!follows_cased) return false;
    for (size_t i = position + length; i < text.size();) {
        const Decoded next = decode_utf8(text, i);
        if (!is_case_ignorable(next.code_point)) return !is_cased(next.code_point);
        i += next.length;
    }
    return true;
}

void lower_case(std::string_view text, std::string& out) {
    constexpr char32_t kSigma = 0x3A3;
    // ASCII and most others keep their length; what grows is appended.
    out.clear();
    out.reserve(text.size() + 16);
    for (size_t i = 0; i < text.size();) {
        const size_t ascii = i;
        while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80) ++i;
        const size_t begin = out.size();
        out.append(text, ascii, i - ascii);
        for (char* p = out.data() + begin; p != out.data() + out.size(); ++p) {
            *p = static_cast<char>(*p + (*p >= 'A' && *p <= 'Z' ? 'a' - 'A' : 0));
        }
        if (i == text.size()) return;
        const Decoded decoded = decode_utf8(text, i);
        if (decoded.code_point == kSigma) {
            out += is_final_sigma(text, i, decoded.length) ? "\u03C2" : "\u03C3";
        } else {
            append_lower(decoded.code_point, out);
        }
        i += decoded.length;
    }
}

}  // namespace longhaul::text
