// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Texts that patterns treat in special ways: all classes of characters next to each other.

#include <random>
#include <string>

#include "lib/text/unicode.h"

namespace longhaul::token {

/// @param num_parts of fragments and random characters. Well-formed UTF-8.
inline std::string torture_text(std::mt19937& random, size_t num_parts) {
    static const std::string parts[] = {
        "'s",
        "'LL",
        "'re",
        "'vE",
        "'",
        "n't",
        "'\xC5\xBF",
        "'l",
        " ",
        "  ",
        "     ",
        "\n",
        "\n\n",
        "\r\n",
        "\t",
        "\xC2\xA0",
        "\xE3\x80\x80",
        "\xE2\x80\x83",
        "\xC2\x85",
        "1",
        "12",
        "345",
        "6789012",
        "\xD9\xA3",
        "\xE2\x85\xA7",
        "\xC2\xBD",
        "...",
        "/",
        "//\n/",
        "_",
        "!",
        "?!",
        "-",
        "$",
        "\xE2\x82\xAC",
        "\xC2\xAB",
        "\xE2\x80\x9C",
        "\xE2\x80\xB9",
        "\xC2\xB2",
        "\xE2\x82\xB9",
        "\xE2\xB2\xAF",
        "\xE4\xB9\x8B",
        "\xF0\x9F\xB2\xBD",
        "\xE2\x80\x99s",
        "word",
        "Word",
        "WORD",
        "wOrd",
        "a",
        "Z",
        "s",
        "t",
        "re",
        "\xC3\xA9t\xC3\xA9",
        "\xC3\x89",
        "\xD1\x81\xD0\xBB\xD0\xBE\xD0\xB2\xD0\xBE",
        "\xD0\xA1",
        "\xC7\x85",
        "\xCA\xB0",
        "\xCC\x81",
        "\xE0\xA4\xB9\xE0\xA4\xBF",
        "\xE4\xB8\xAD\xE6\x96\x87",
        "\xE4\xB8\xAD",
        "\xE3\x81\x82\xE3\x82\xAB\xE3\x83\xBC",
        "\xE3\x80\x85",
        "\xE3\x80\x87",
        "\xE2\xBC\x80",
        "\xED\x95\x9C\xEA\xB5\xAD",
        "\xF0\x9F\x98\x80",
        "\xE2\x80\x8D",
        std::string(1, '\0'),
        "\x1F",
        "\xEF\xBF\xBD",
        "\xF0\xA0\x80\x80",
        "\xF0\x9D\x9F\x99",
        "<|endoftext|>",
        "            ",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    std::string text;
    for (size_t i = 0; i < num_parts; ++i) {
        if (random() % 8 != 0) {
            text += parts[random() % std::size(parts)];
            continue;
        }
        const uint32_t limits[] = {0x80, 0x800, 0x3000, 0x10000, 0x20000, 0x110000};
        const char32_t c = random() % limits[random() % std::size(limits)];
        if (c < 0xD800 || c > 0xDFFF) text::append_utf8(c, text);
    }
    return text;
}

}  // namespace longhaul::token
