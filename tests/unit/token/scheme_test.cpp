// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/scheme.h"
#include "tests/unit/token/test_files.h"

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <sstream>

#include "lib/io/json.h"
#include "lib/io/stream.h"
#include "tests/unit/token/torture_text.h"

using namespace longhaul;
using namespace longhaul::token;

namespace {

using Ends = std::vector<size_t>;

Ends ends_by_truth(const SchemeTruth& truth, std::string_view text) {
    std::vector<std::string_view> pieces;
    truth.split(text, pieces);
    Ends ends;
    size_t end = 0;
    for (const std::string_view piece : pieces) ends.push_back(end += piece.size());
    return ends;
}

Ends ends_by_scanner(Scheme scheme, std::string_view text) {
    Ends ends;
    for (size_t end = 0; end < text.size();) ends.push_back(end = next_piece(scheme, text, end));
    return ends;
}

}  // namespace

TEST_CASE("schemes: the truth and the scanners cut as the real tokenizers do") {
    std::istringstream lines(test::read_all(LH_TEST_DATA "/token/scheme_pieces.jsonl.zst"));
    std::array<size_t, kNumSchemes> num_texts{};
    std::vector<SchemeTruth> truths;
    for (const SchemeInfo& info : known_schemes()) truths.emplace_back(info.scheme);
    for (std::string line; std::getline(lines, line);) {
        const io::Json row = io::Json::parse(line);
        const auto scheme = scheme_by_name(row["scheme"].get<std::string>());
        REQUIRE(scheme.has_value());
        const auto text = row["text"].get<std::string>();
        const auto expected = row["ends"].get<Ends>();
        const auto index = static_cast<size_t>(*scheme);
        CAPTURE(line);
        REQUIRE(ends_by_truth(truths[index], text) == expected);
        REQUIRE(ends_by_scanner(*scheme, text) == expected);
        ++num_texts[index];
    }
    for (const size_t count : num_texts) CHECK(count > 800);
}

TEST_CASE("schemes: scanners cut torture text as the regular expressions do") {
    std::mt19937 random(4);
    for (const SchemeInfo& info : known_schemes()) {
        const SchemeTruth truth(info.scheme);
        for (int i = 0; i < 1500; ++i) {
            const std::string text = torture_text(random, 1 + random() % 24);
            CAPTURE(info.name);
            CAPTURE(text);
            REQUIRE(ends_by_scanner(info.scheme, text) == ends_by_truth(truth, text));
        }
    }
}

TEST_CASE("schemes: names, patterns and steps are found, each for one scheme") {
    for (const SchemeInfo& info : known_schemes()) {
        CHECK(scheme_info(info.scheme).name == std::string(info.name));
        CHECK(scheme_by_name(info.name) == info.scheme);
        const bool is_single = info.steps.size() == 1;
        CHECK(scheme_by_pattern(info.steps[0]) ==
              (is_single ? std::optional(info.scheme) : scheme_by_pattern(info.steps[0])));
        CHECK(scheme_by_steps(info.steps) ==
              (is_single ? std::nullopt : std::optional(info.scheme)));
    }
    CHECK(known_schemes().size() == kNumSchemes);
    CHECK_FALSE(scheme_by_name("gpt5").has_value());
    CHECK_FALSE(scheme_by_pattern("").has_value());
    CHECK_FALSE(scheme_by_pattern("\\p{N}").has_value());
    const std::vector<std::string> reversed = {kByteLevelStep, kEachDigitStep};
    CHECK_FALSE(scheme_by_steps(reversed).has_value());
}
