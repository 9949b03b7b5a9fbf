// SPDX-License-Identifier: BSD-3-Clause
// What the recipes of other programs make of texts, where their signatures (presets.jsonl) do not
// show it: texts without shingles, exact hashes, and sets for verifying.
#include "lib/dedup/signature/recipe.h"

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lib/dedup/signature/shingle.h"
#include "lib/io/json.h"
#include "tests/unit/dedup/draws.h"

using namespace longhaul;
using dedup::Parameters;
using dedup::Scheme;

namespace {

struct Loaded {
    Hash128 exact;
    std::vector<uint64_t> shingles;
};

Loaded load(const std::string& preset, const std::string& text, const char* scheme = nullptr) {
    Parameters parameters = dedup::preset_parameters(preset);
    if (scheme != nullptr) parameters.scheme = dedup::parse_scheme(scheme, parameters.recipe);
    dedup::Shingler shingler(parameters);
    shingler.load(text);
    const auto shingles = shingler.shingles();
    return {shingler.exact_hash(), {shingles.begin(), shingles.end()}};
}

size_t count(const std::string& preset, const std::string& text) {
    return load(preset, text).shingles.size();
}

}  // namespace

TEST_CASE("recipes: how many shingles a text has") {
    CHECK(count("slimpajama", "  A-b c!  d ") == 0);
    CHECK(count("slimpajama", "abcdefghijklm") == 1);
    CHECK(count("slimpajama", "Abc, def ghi  jklm n") == 6);  // "abc def ghi jklm n": 18 characters
    CHECK(count("rpv2", "1 2 3 4 5 6 7 8 9 10 11 12") == 0);
    CHECK(count("rpv2", "1 2 3 4 5 6 7 8 9 10 11 12 - 13") == 1);
    CHECK(count("text-dedup", "one two three four") == 0);
    CHECK(count("text-dedup", "one, two. three-four five") == 1);
    CHECK(count("bigcode", "a b c d") == 0);
    CHECK(count("bigcode", "a b c d e") == 1);
    CHECK(count("bigcode", "a, b, c, d, e") == 5);  // four empty words between
    CHECK(count("nemo", "") == 0);
    CHECK(count("nemo", "short") == 1);
    CHECK(count("nemo", std::string(24, 'x')) == 1);
    CHECK(count("nemo", std::string(30, 'x')) == 7);
}

TEST_CASE("recipes: a short text is one shingle where text-dedup has it so") {
    Parameters parameters = dedup::preset_parameters("text-dedup");
    parameters.ngram = 7;
    dedup::Shingler shingler(parameters);
    shingler.load("a b c d e f");
    CHECK(shingler.shingles().size() == 1);
    shingler.load("a b c d");
    CHECK(shingler.shingles().empty());
}

// "[^A-Za-z_0-9]" makes empty words of every letter of other scripts; all such texts would be one.
TEST_CASE("recipes: bigcode finds no duplicates among texts that it can not see") {
    CHECK(count("bigcode", "完全不同的另外一个句子讲的是天气和旅行的故事") == 0);
    CHECK(count("bigcode", "Привет, мир! Как дела? Всё хорошо, GPT 4.") == 0);
    CHECK(load("bigcode", "完全不同").exact != load("bigcode", "另外一个").exact);
}

TEST_CASE("recipes: equal texts after normalisation are exact duplicates, others are not") {
    CHECK(load("slimpajama", "Don't stop!").exact == load("slimpajama", " dont  STOP").exact);
    CHECK(load("slimpajama", "don't").exact != load("slimpajama", "don t").exact);
    CHECK(load("rpv2", "\u00e9t\u00e9").exact == load("rpv2", "E\u0301t\u00e9").exact);
    CHECK(load("text-dedup", "a-b, c").exact == load("text-dedup", "A b c!").exact);
    CHECK(load("bigcode", "a+b").exact != load("bigcode", "a-b").exact);
    CHECK(load("nemo", "A b").exact != load("nemo", "a b").exact);
    for (const dedup::PresetInfo& preset : dedup::presets()) {
        CAPTURE(preset.name);
        CHECK(load(preset.name, "?!").exact != load(preset.name, "!?").exact);
        CHECK(load(preset.name, "?!").exact == load(preset.name, "?!").exact);
        CHECK(load(preset.name, "").exact == load(preset.name, "").exact);
    }
}

// Reference: tests/data/dedup/jaccards.jsonl, sets of strings in Python (make_presets.py).
TEST_CASE("recipes: what is verified is the Jaccard index of the program's own shingles") {
    std::ifstream file(std::string(std::getenv("LONGHAUL_TEST_DATA")) + "/dedup/jaccards.jsonl");
    REQUIRE(file.is_open());
    int compared = 0;
    for (std::string line; std::getline(file, line);) {
        const io::Json row = io::parse_json(line, "jaccards.jsonl");
        for (const auto& [preset, expected] : row["jaccards"].items()) {
            for (const bool is_native : {false, true}) {
                Parameters parameters = dedup::preset_parameters(preset);
                if (is_native) parameters.scheme = Scheme::kNative;
                dedup::Shingler a(parameters), b(parameters);
                a.load(row["a"].get_ref<const std::string&>());
                b.load(row["b"].get_ref<const std::string&>());
                CAPTURE(preset);
                CAPTURE(is_native);
                CHECK(dedup::jaccard(a.shingle_set(), b.shingle_set()) == expected.get<double>());
                ++compared;
            }
        }
    }
    CHECK(compared == 4 * 6 * 2);
}

// Base hashes have 16 or 32 bits, but sets are compared by 64: no collision among 300,000 shingles,
// where 32 bits would have ten.
TEST_CASE("recipes: sets for verifying are made of 64-bit hashes with every scheme") {
    std::string words, letters;
    Draws draw{5};
    for (int i = 0; i < 300000; ++i) {
        for (int rest = i + 26; rest > 0; rest /= 26) words += static_cast<char>('a' + rest % 26);
        words += ' ';
        letters += static_cast<char>('a' + draw() % 26);
    }
    const std::vector<std::pair<std::string, const char*>> schemes{{"fineweb", "datatrove"},
                                                                   {"fineweb", "datatrove-sha1"},
                                                                   {"rpv2", "rpv2"},
                                                                   {"text-dedup", "text-dedup"},
                                                                   {"text-dedup", "text-dedup-16"},
                                                                   {"bigcode", "bigcode"},
                                                                   {"nemo", "nemo"},
                                                                   {"slimpajama", "slimpajama"},
                                                                   {"nemo", "native"},
                                                                   {"text-dedup", "native"}};
    for (const auto& [preset, scheme] : schemes) {
        const Parameters parameters = dedup::preset_parameters(preset);
        const bool by_character = dedup::has_character_shingles(parameters.recipe);
        const std::vector<uint64_t> shingles =
            load(preset, by_character ? letters : words, scheme).shingles;
        CAPTURE(scheme);
        const std::set<uint64_t> set(shingles.begin(), shingles.end());
        CHECK(set.size() == shingles.size());
        CHECK(shingles.size() > 299000);
    }
}
