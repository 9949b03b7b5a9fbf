// SPDX-License-Identifier: BSD-3-Clause
// Reference: tests/data/dedup/normalize.tsv, made by make_reference.py there (LONGHAUL_TEST_DATA is
// set by Meson).
#include "lib/text/normalize.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lib/text/unicode.h"

using longhaul::text::TextNormalizer;

namespace {

/// A JSON string written by Python's json.dumps: only \uXXXX and simple escapes.
std::string from_json(const std::string& quoted) {
    std::string out;
    char32_t high = 0;
    for (size_t i = 1; i + 1 < quoted.size(); ++i) {
        if (quoted[i] != '\\') {
            out += quoted[i];
            continue;
        }
        const char c = quoted[++i];
        if (c != 'u') {
            out += c == 'n'   ? '\n'
                   : c == 't' ? '\t'
                   : c == 'r' ? '\r'
                   : c == 'b' ? '\b'
                   : c == 'f' ? '\f'
                              : c;
            continue;
        }
        const auto unit = static_cast<char32_t>(std::stoul(quoted.substr(i + 1, 4), nullptr, 16));
        i += 4;
        if (unit >= 0xD800 && unit < 0xDC00) {
            high = unit;
        } else if (unit >= 0xDC00 && unit < 0xE000) {
            longhaul::text::append_utf8(0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00), out);
        } else {
            longhaul::text::append_utf8(unit, out);
        }
    }
    return out;
}

std::vector<std::string> words_of(std::string_view text) {
    TextNormalizer normalizer;
    std::vector<std::string> words;
    longhaul::text::for_each_word(
        normalizer.normalize(text),
        [&](const char* begin, size_t length) { words.emplace_back(begin, length); });
    return words;
}

}  // namespace

TEST_CASE("normalize: equals datatrove's simplify_text on the reference texts") {
    std::ifstream file(std::string(std::getenv("LONGHAUL_TEST_DATA")) + "/dedup/normalize.tsv");
    REQUIRE(file.is_open());
    TextNormalizer normalizer;
    int rows = 0;
    for (std::string line; std::getline(file, line); ++rows) {
        const size_t tab = line.find('\t');
        CAPTURE(line.substr(0, tab));
        const std::string text = from_json(line.substr(0, tab));
        CHECK(normalizer.normalize(text) == from_json(line.substr(tab + 1)));
    }
    CHECK(rows > 600);
}

TEST_CASE("normalize: invalid bytes count as U+FFFD") {
    TextNormalizer normalizer;
    CHECK(normalizer.normalize("a\xff"
                               "b") == "a\uFFFDb");
    CHECK(normalizer.normalize("\xe4\xb8") == "\uFFFD");
}

TEST_CASE("words: spaces separate words, characters of unspaced scripts stand alone") {
    using Words = std::vector<std::string>;
    CHECK(words_of("") == Words{});
    CHECK(words_of("...") == Words{});
    CHECK(words_of("Two  words.") == Words{"two", "words"});
    CHECK(words_of("abc\u4e2d\u6587def \u304b") ==
          Words{"abc", "\u4e2d", "\u6587", "def", "\u304b"});
    CHECK(words_of("\u0e01\u0e02 \u1780 \u1000") == Words{"\u0e01", "\u0e02", "\u1780", "\u1000"});
    CHECK(words_of("\uac01") == Words{"\u1100\u1161\u11a8"});
    CHECK(words_of("\U00020000x") == Words{"\U00020000", "x"});
}

TEST_CASE("words: is_unspaced agrees with the script table for letters") {
    using longhaul::text::Script;
    // Script "Common" in the table, since Han and kana (or two kanas) share them.
    const std::u32string shared = U"\u3006\u303C\u30FC\uFF70\uFF9E\uFF9F";
    for (char32_t c = 0; c < 0x110000; ++c) {
        if (!longhaul::text::is_letter(c)) continue;
        const Script script = longhaul::text::script_of(c);
        const bool expected = (script != Script::kOther && script != Script::kHangul) ||
                              shared.find(c) != std::u32string::npos;
        if (longhaul::text::is_unspaced(c) == expected) continue;
        CAPTURE(static_cast<uint32_t>(c));
        CHECK(longhaul::text::is_unspaced(c) == expected);
    }
}
