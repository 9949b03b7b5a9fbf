// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/regex.h"

#include <doctest/doctest.h>

#include <random>

#include "lib/base/error.h"
#include "lib/token/pre_tokenizer.h"

using namespace longhaul::token;

namespace {

std::string first_match(const char* pattern, std::string_view text) {
    const auto match = Regex(pattern).find(text, 0);
    return match ? std::string(text.substr(match->begin, match->end - match->begin)) : "(none)";
}

std::vector<std::string> split(const PreTokenizer& steps, std::string_view text,
                               bool use_scanners = true) {
    Pieces pieces;
    steps.split(text, pieces, use_scanners);
    return {pieces.views.begin(), pieces.views.end()};
}

using List = std::vector<std::string>;

}  // namespace

TEST_CASE("regex: quantifiers, groups and assertions match as backtracking engines do") {
    const struct {
        const char *pattern, *text, *match;
    } cases[] = {
        {"a+b", "xaaab", "aaab"},
        {"a*?b", "aab", "aab"},
        {"a+?", "aaa", "a"},
        {"a++a", "aaa", "(none)"},
        {"(?:ab)+", "xababa", "abab"},
        {"(?:ab|a)c", "ac", "ac"},
        {"(?>a|ab)c", "abc", "(none)"},
        {"a{2,3}", "aaaa", "aaa"},
        {"a{2}", "aaaa", "aa"},
        {"a{,2}b", "aaab", "aab"},
        {"x{", "x{", "x{"},
        {"\\s+(?!\\S)", "  a", " "},
        {"a(?=b)", "aab", "a"},
        {"(?<=a)b", "ab", "b"},
        {"(?<!a)b", "ab", "(none)"},
        {"^b", "a\nb", "b"},
        {"a$", "a\nb", "a"},
        {"a\\z", "a\nb", "(none)"},
        {"(?i:'S|x)", "'s", "'s"},
        {"(?i)'s", "'\xC5\xBF", "'\xC5\xBF"},
        {"[^\\W_]+", "_ab_", "ab"},
        {"[a-c&&[^b]]+", "bac", "ac"},
        {"[\\]\\-]+", "-]", "-]"},
        {"\\x41\\u0042\\x{43}", "ABC", "ABC"},
        {"(a|b)*?c", "abac", "abac"},
        {"(?:a|b){2,}", "abab", "abab"},
        {".", "\na", "a"},
        {"\\p{Lu}\\P{L}", "aB1", "B1"},
        {"[\\p{Han}]+", "a\xE4\xB8\xAD\xE6\x96\x87", "\xE4\xB8\xAD\xE6\x96\x87"},
    };
    for (const auto& test : cases) {
        CAPTURE(test.pattern);
        CHECK(first_match(test.pattern, test.text) == test.match);
    }
}

TEST_CASE("regex: what is wrong or not supported is named with its place") {
    for (const char* pattern : {"(",     ")",          "[a",      "a{3,2}",        "*a",
                                "a**",   "(?<name>a)", "\\1",     "\\b",           "\\p{Foo}",
                                "[z-a]", "(?:a*)*",    "\\x4",    "[[:alpha:]]",   "(?<=ab)c",
                                "\\",    "\\p{L",      "a{1001}", "(?i:\xC3\xA9)", "\xFF"}) {
        CAPTURE(pattern);
        CHECK_THROWS_AS(Regex{pattern}, longhaul::DataError);
    }
    CHECK_THROWS_WITH_AS(Regex("ab\\b"), "pattern: character 5: \"\\b\" is not supported",
                         longhaul::DataError);
    CHECK_THROWS_AS(Regex(std::string(5000, '(')), longhaul::DataError);
}

TEST_CASE("regex: long runs neither recurse nor grow the stack") {
    const std::string text(1'000'000, 'a');
    CHECK(Regex("a+b|a+").match_at(text, 0) == text.size());
    CHECK(Regex("(?:a|b)+").match_at(text.substr(0, 100'000), 0) == 100'000);
}

TEST_CASE("pre-tokenizer: the Split behaviors of HF tokenizers") {
    const struct {
        SplitBehavior behavior;
        bool inverted;
        List pieces;
    } cases[] = {
        {SplitBehavior::kRemoved, false, {"a", "b"}},
        {SplitBehavior::kRemoved, true, {"-", "-"}},
        {SplitBehavior::kIsolated, false, {"a", "-", "-", "b"}},
        {SplitBehavior::kMergedWithPrevious, false, {"a-", "-", "b"}},
        {SplitBehavior::kMergedWithNext, false, {"a", "-", "-b"}},
        {SplitBehavior::kMergedWithPrevious, true, {"a", "-", "-b"}},
        {SplitBehavior::kMergedWithNext, true, {"a-", "-", "b"}},
        {SplitBehavior::kContiguous, false, {"a", "--", "b"}},
    };
    for (const auto& test : cases) {
        PreTokenizer literal, regex;
        literal.add_literal("-", test.behavior, test.inverted);
        regex.add_regex("-", test.behavior, test.inverted);
        CHECK(split(literal, "a--b") == test.pieces);
        CHECK(split(regex, "a--b") == test.pieces);
    }
}

TEST_CASE("pre-tokenizer: documented pieces of the known patterns") {
    const struct {
        Scheme scheme;
        const char* text;
        List pieces;
    } cases[] = {
        {Scheme::kO200k, "helloWORLDFoo", {"hello", "WORLDFoo"}},
        {Scheme::kO200k, "HELLO'SWORLD", {"HELLO'S", "WORLD"}},
        {Scheme::kO200k, "it's'tx", {"it's", "'tx"}},
        {Scheme::kO200k, "a/b//\n/c", {"a", "/b", "//\n/", "c"}},
        {Scheme::kO200k, "ABCdefGHI's", {"ABCdef", "GHI's"}},
        {Scheme::kLlama3,
         "1\xD9\xA1\xE0\xA5\xA7\xE2\x85\xA7",
         {"1\xD9\xA1\xE0\xA5\xA7", "\xE2\x85\xA7"}},
        {Scheme::kLlama3,
         "a\xCC\x81"
         "b",
         {"a",
          "\xCC\x81"
          "b"}},
        {Scheme::kGpt2, "Hello  world's\n\n x", {"Hello", " ", " world", "'s", "\n\n", " x"}},
        {Scheme::kCl100k, "a\n\n  ", {"a", "\n\n  "}},
        {Scheme::kLlama3, "a\n\n  ", {"a", "\n\n", "  "}},
        {Scheme::kQwen2, "123", {"1", "2", "3"}},
    };
    for (const auto& test : cases) {
        PreTokenizer steps;
        steps.add_scheme(test.scheme, SplitBehavior::kIsolated, false);
        CAPTURE(test.text);
        CHECK(split(steps, test.text, true) == test.pieces);
        CHECK(split(steps, test.text, false) == test.pieces);
    }
}

TEST_CASE("pre-tokenizer: scanners equal the regular expressions on random text") {
    const char* const parts[] = {"a",
                                 "B",
                                 "Zz",
                                 "1",
                                 "22",
                                 "'s",
                                 "'LL",
                                 "'",
                                 " ",
                                 "  ",
                                 "\n",
                                 "\r\n",
                                 "\t",
                                 "-",
                                 "/",
                                 "_",
                                 "\xC2\xA0",
                                 "\xC5\xBF",
                                 "\xCC\x81",
                                 "\xE4\xB8\xAD",
                                 "\xC7\x85",
                                 "\xCA\xB0",
                                 "\xE2\x85\xA7",
                                 "\xC2\xBD",
                                 "\xF0\x9F\x98\x80",
                                 "\xE3\x80\x80",
                                 "\xE2\x80\x8B",
                                 "\xC3\x89",
                                 "\xC3\xA9",
                                 "\xD9\xA1",
                                 "\xFF",
                                 "\xE2\x82"};
    std::mt19937 random(17);
    for (const SchemeInfo& info : known_schemes()) {
        PreTokenizer steps;
        steps.add_scheme(info.scheme, SplitBehavior::kIsolated, false);
        for (int i = 0; i < 4000; ++i) {
            std::string text;
            for (size_t k = random() % 12; k-- > 0;) text += parts[random() % std::size(parts)];
            CAPTURE(info.name);
            CAPTURE(text);
            REQUIRE(split(steps, text, true) == split(steps, text, false));
        }
    }
}

TEST_CASE("regex: places that no match can begin at are passed over, others are not") {
    const auto all = [](const char* pattern, std::string_view text) {
        std::string out;
        Regex(pattern).for_each_match(text, [&](const Regex::Match& match) {
            out += longhaul::format("{}-{} ", match.begin, match.end);
        });
        return out;
    };
    CHECK(all("[\\r\\n]", "ab\r\nc") == "2-3 3-4 ");
    CHECK(all("\\s?x", "x \xC2\xA0x\xE3\x80\x80x\xE4\xB8\xAD x") == "0-1 2-5 5-9 12-14 ");
    CHECK(all("a*", "ba") == "0-0 1-2 ");
    CHECK(all("(?:|a)b", "aab") == "1-3 ");
    CHECK(all("(?:a|)b", "aab") == "1-3 ");
    CHECK(all("(?<=a)b|c", "babc") == "2-3 3-4 ");
    CHECK(all("(?>a|ab)c|b", "abc ac") == "1-2 4-6 ");
    CHECK(all("(?=ab)a|c", "aabc") == "1-2 3-4 ");
    CHECK(all("(?:ab?)*c", "ababac abb c") == "0-6 11-12 ");
    CHECK(all("x|$", "ax") == "1-2 ");
    CHECK(all("\\z", "ab") == "2-2 ");
    CHECK(all("[^a]", "a\xFF\xE2\x82z") == "1-2 2-4 4-5 ");
    CHECK(all("(?i:s)", "\xC5\xBFxS") == "0-2 3-4 ");
    CHECK(all("a{2,}?b|a+", "aaab aa") == "0-4 5-7 ");
}
