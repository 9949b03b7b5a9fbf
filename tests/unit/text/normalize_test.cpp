// SPDX-License-Identifier: BSD-3-Clause
// Reference: tests/data/dedup/normalize.tsv, made by make_reference.py there (LONGHAUL_TEST_DATA is
// set by Meson).
#include "lib/text/normalize.h"

#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lib/text/unicode.h"
#include "tests/support/simd_targets.h"

using longhaul::test::for_each_simd_target;
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

/// A character, and what it is to the normaliser. Kind: 't'ext, ' ' (space), 'd'igit, dropped
/// 'm'ark, number se'p'arator that is text elsewhere, or separa',' that is a space elsewhere.
struct Sample {
    std::string character;
    char kind;
    std::string becomes;
};

const std::vector<Sample>& samples() {
    static const std::vector<Sample> table = {
        {"a", 't', "a"},
        {"B", 't', "b"},
        {"Z", 't', "z"},
        {" ", ' ', ""},
        {"\n", ' ', ""},
        {"-", ' ', ""},
        {std::string(1, '\0'), ' ', ""},
        {"@", ' ', ""},
        {"{", ' ', ""},
        {"7", 'd', ""},
        {"0", 'd', ""},
        {".", ',', ""},
        {",", ',', ""},
        {"\u00e9", 't', "e"},
        {"\u0416", 't', "\u0436"},
        {"\u0419", 't', "\u0438"},
        {"\u4e2d", 't', "\u4e2d"},
        {"\u304c", 't', "\u304b"},
        {"\uac01", 't', "\u1100\u1161\u11a8"},
        {"\uac00", 't', "\u1100\u1161"},
        {"\u3002", ' ', ""},
        {"\u00a0", ' ', ""},
        {"\u0301", 'm', ""},
        {"\u0663", 'd', ""},
        {"\u066b", 'p', "\u066b"},
        {"\U0001d400", 't', "\U0001d400"},
        {"\U00010400", 't', "\U00010428"},
    };
    return table;
}

/// The rules character by character.
std::string normalize_plainly(const std::vector<Sample>& text) {
    std::string out;
    bool after_space = true;
    const auto is_digit = [&](size_t i) { return i < text.size() && text[i].kind == 'd'; };
    for (size_t i = 0; i < text.size(); ++i) {
        if (is_digit(i)) {
            while (is_digit(i + 1)) ++i;
            const bool has_separator =
                i + 1 < text.size() && (text[i + 1].kind == ',' || text[i + 1].kind == 'p');
            if (has_separator && is_digit(i + 2)) {
                for (i += 2; is_digit(i + 1);) ++i;
            }
            out += "0";
            after_space = false;
        } else if (text[i].kind == ' ' || text[i].kind == ',') {
            if (!after_space) out += ' ';
            after_space = true;
        } else {
            out += text[i].becomes;
            after_space = false;
        }
    }
    const size_t begin = out.find_first_not_of(' ');
    if (begin == std::string::npos) return "";
    return out.substr(begin, out.find_last_not_of(' ') + 1 - begin);
}

/// Random texts of up to `max_length` of the first `num_kinds` samples.
template <class Check>
void for_random_texts(size_t num_kinds, size_t max_length, Check check) {
    std::mt19937 random(17);
    for (int round = 0; round < 300; ++round) {
        std::vector<Sample> text;
        const size_t length = random() % max_length;
        // Mostly letters in some rounds, so that whole blocks of them occur.
        const size_t letters = random() % 24;
        while (text.size() < length) {
            const size_t pick = random() % (num_kinds + letters);
            text.push_back(samples()[pick < num_kinds ? pick : pick % 3]);
        }
        std::string bytes;
        for (const Sample& sample : text) bytes += sample.character;
        check(text, bytes);
    }
}

}  // namespace

TEST_CASE("normalize: vectors give what the rules say character by character") {
    for_each_simd_target([](const std::string& target) {
        CAPTURE(target);
        TextNormalizer normalizer;
        for (const size_t num_kinds : {size_t{13}, samples().size()}) {
            uint64_t num_wrong = 0;
            for_random_texts(
                num_kinds, 400, [&](const std::vector<Sample>& text, const std::string& bytes) {
                    num_wrong += normalizer.normalize(bytes) == normalize_plainly(text) ? 0 : 1;
                });
            CHECK(num_wrong == 0);
        }
    });
}

TEST_CASE("normalize: numbers at every place of a block") {
    TextNormalizer normalizer;
    for (size_t before = 0; before < 140; ++before) {
        const std::string prefix(before, 'x');
        CAPTURE(before);
        const std::string glue = before == 0 ? "" : prefix;
        CHECK(normalizer.normalize(prefix + "12.5 1.2.3 1,2,3,4") == glue + "0 0 0 0 0");
        CHECK(normalizer.normalize(prefix + "7.") == glue + "0");
        CHECK(normalizer.normalize(prefix + "7.\u0663.") == glue + "0");
        CHECK(normalizer.normalize(prefix + std::string(200, '9') + ".5x") == glue + "0x");
    }
}

TEST_CASE("words: the same as splitting character by character, over borders of blocks too") {
    for_each_simd_target([](const std::string& target) {
        CAPTURE(target);
        TextNormalizer normalizer;
        uint64_t num_wrong = 0;
        for_random_texts(
            samples().size(), 3000, [&](const std::vector<Sample>&, const std::string& bytes) {
                const std::string_view normalized = normalizer.normalize(bytes);
                std::vector<std::string> expected{""};
                for (size_t i = 0; i < normalized.size();) {
                    const auto next = longhaul::text::decode_utf8(normalized, i);
                    const std::string character(normalized.substr(i, next.length));
                    if (longhaul::text::is_unspaced(next.code_point)) {
                        expected.insert(expected.end(), {character, ""});
                    } else if (character == " ") {
                        expected.emplace_back();
                    } else {
                        expected.back() += character;
                    }
                    i += next.length;
                }
                std::erase(expected, "");
                std::vector<std::string> words;
                longhaul::text::for_each_word(normalized, [&](const char* begin, size_t length) {
                    words.emplace_back(begin, length);
                });
                num_wrong += words == expected ? 0 : 1;
            });
        CHECK(num_wrong == 0);
    });
}

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
    CHECK(words_of("Thai \u0e01\u0e02in\u0e03 text") ==
          Words{"thai", "\u0e01", "\u0e02", "in", "\u0e03", "text"});
    CHECK(words_of("\ua000\ua001 \u3105\u3106") == Words{"\ua000", "\ua001", "\u3105", "\u3106"});
    CHECK(words_of("\u1950\u1951 \u1a20") == Words{"\u1950", "\u1951", "\u1a20"});
}

/// Blocks of scripts without spaces that the script table does not have. Source: Blocks.txt.
bool is_in_other_block(char32_t c) {
    constexpr char32_t kBlocks[][2] = {
        {0x1950, 0x197F},    // Tai Le
        {0x1980, 0x19DF},    // New Tai Lue
        {0x1A20, 0x1AAF},    // Tai Tham
        {0x3100, 0x312F},    // Bopomofo
        {0x31A0, 0x31BF},    // Bopomofo Extended
        {0xA000, 0xA48F},    // Yi
        {0xAA80, 0xAADF},    // Tai Viet
        {0x11700, 0x1174F},  // Ahom
        {0x16FE0, 0x16FFF},  // Ideographic Symbols
        {0x17000, 0x18D7F},  // Tangut, Khitan
        {0x1B170, 0x1B2FF},  // Nushu
    };
    for (const auto& [first, last] : kBlocks) {
        if (c >= first && c <= last) return true;
    }
    return false;
}

TEST_CASE("words: is_unspaced agrees with the script table for letters") {
    using longhaul::text::Script;
    // Script "Common" in the table, since Han and kana (or two kanas) share them.
    const std::u32string shared = U"\u3006\u303C\u30FC\uFF70\uFF9E\uFF9F";
    for (char32_t c = 0; c < 0x110000; ++c) {
        if (!longhaul::text::is_letter(c)) continue;
        const Script script = longhaul::text::script_of(c);
        const bool expected = (script != Script::kOther && script != Script::kHangul) ||
                              shared.find(c) != std::u32string::npos || is_in_other_block(c);
        if (longhaul::text::is_unspaced(c) == expected) continue;
        CAPTURE(static_cast<uint32_t>(c));
        CHECK(longhaul::text::is_unspaced(c) == expected);
    }
}
