// SPDX-License-Identifier: BSD-3-Clause
// Falcon's pre-tokeniser: cut inside characters, and known by its exact steps only.
#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/token/encoder.h"
#include "lib/token/load.h"
#include "lib/token/scheme_scanner.h"
#include "lib/token/trainer.h"
#include "tests/support/small_tokenizer.h"
#include "tests/unit/token/torture_text.h"

using namespace longhaul;
using namespace longhaul::token;
using io::Json;

namespace {

Json falcon() {
    return Json::parse(R"({"type":"Sequence","pretokenizers":[
        {"type":"Punctuation","behavior":"Contiguous"},
        {"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":true},
        {"type":"Digits","individual_digits":false},
        {"type":"Split","pattern":{"Regex":"[0-9][0-9][0-9]"},"behavior":"Isolated",
         "invert":false}]})");
}

std::optional<Scheme> scheme_of(const Json& pre_tokenizer) {
    Json tokenizer = test::small_tokenizer();
    tokenizer["pre_tokenizer"] = pre_tokenizer;
    return parse_tokenizer_json(tokenizer.dump(), "t").pre_tokenizer.single_scheme();
}

}  // namespace

TEST_CASE("falcon: only its exact steps are its scheme") {
    CHECK(scheme_of(falcon()) == Scheme::kFalcon);
    Json other = falcon();
    other["pretokenizers"][0]["behavior"] = "Isolated";
    CHECK_FALSE(scheme_of(other).has_value());
    other = falcon();
    other["pretokenizers"][1]["add_prefix_space"] = true;
    CHECK_FALSE(scheme_of(other).has_value());
    other = falcon();
    other["pretokenizers"][1]["use_regex"] = false;
    CHECK_FALSE(scheme_of(other).has_value());
    other = falcon();
    other["pretokenizers"][2]["individual_digits"] = true;
    CHECK_FALSE(scheme_of(other).has_value());
    other = falcon();
    other["pretokenizers"][3]["pattern"]["Regex"] = "[0-9][0-9]";
    CHECK_FALSE(scheme_of(other).has_value());
    other = falcon();
    other["pretokenizers"][3]["behavior"] = "Removed";
    CHECK_FALSE(scheme_of(other).has_value());
    other = falcon();
    other["pretokenizers"].erase(3);
    CHECK_FALSE(scheme_of(other).has_value());
    other = falcon();
    std::swap(other["pretokenizers"][1], other["pretokenizers"][2]);
    CHECK_FALSE(scheme_of(other).has_value());
}

TEST_CASE("falcon: no regular expression is taken for a step that is none") {
    // As patterns they are faults: they would repeat nothing.
    for (const char* name : {kPunctuationRunsStep, kDigitRunsStep, kByteAlphabetStep, kBytesStep}) {
        CHECK_THROWS_AS(Regex{name}, DataError);
    }
}

TEST_CASE("falcon: pieces end inside characters, and the next does not look before that one") {
    const std::pair<const char*, std::vector<size_t>> rows[] = {
        {"\xC3\xB2"
         "1",
         {1, 2, 3}},
        {"\xC2\xB2"
         "1",
         {1, 3}},
        {"\xC2\xB2"
         "3456",
         {1, 2, 5, 6}},
        {"it's 12345", {2, 3, 4, 5, 8, 10}},
        {"x  .", {1, 3, 4}},
        {"  12", {1, 2, 4}},
        {"\xE2\x80\xB9\xE2\x80\xB9", {2, 3, 5, 6}},
        {"\xE2\xB2\xAF"
         "ab",
         {1, 2, 5}}};
    for (const auto& [text, expected] : rows) {
        std::vector<size_t> ends;
        const std::string_view view(text);
        while (ends.empty() || ends.back() < view.size()) {
            ends.push_back(next_piece(Scheme::kFalcon, view, ends.empty() ? 0 : ends.back()));
        }
        CAPTURE(text);
        CHECK(ends == expected);
    }
}

TEST_CASE("falcon: all punctuation of its first step is one class of the second") {
    // Else a run of it would be cut again, which neither scanner nor cutter does.
    for (char32_t c = 0; c < 0x110000; ++c) {
        if (!hf::is_punctuation(c)) continue;
        const uint16_t gpt2 = detail::class_of<Scheme::kGpt2>(c);
        if ((gpt2 & detail::kOther) == 0) FAIL("U+", static_cast<uint32_t>(c));
    }
}

TEST_CASE("falcon: the fast path gives the ids of the general one, from a file and by name") {
    Json json = test::small_tokenizer();
    json["pre_tokenizer"] = falcon();
    const Tokenizer tokenizer(parse_tokenizer_json(json.dump(), "t"));
    Encoder fast(tokenizer, {SpecialText::kPlain, 1 << 16, true});
    Encoder general(tokenizer, {SpecialText::kPlain, 1 << 16, false});
    std::mt19937 random(8);
    for (int i = 0; i < 2000; ++i) {
        const std::string text = torture_text(random, 1 + random() % 40);
        std::vector<uint32_t> one, other;
        fast.encode(text, one);
        general.encode(text, other);
        CAPTURE(text);
        REQUIRE(one == other);
        REQUIRE(tokenizer.decode(one, false) == text);
    }
    CHECK(scheme_by_name("falcon") == Scheme::kFalcon);
}

TEST_CASE("falcon: a trained tokenizer cuts as it was trained") {
    TrainOptions options;
    options.vocab_size = 258;
    options.min_frequency = 1;
    const TrainedBpe trained = train_bpe({{"ab", 5}}, options);
    const std::string file = to_tokenizer_json(trained, Scheme::kFalcon);
    CHECK(parse_tokenizer_json(file, "t").pre_tokenizer.single_scheme() == Scheme::kFalcon);
}
