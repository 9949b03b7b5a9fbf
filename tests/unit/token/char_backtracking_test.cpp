// SPDX-License-Identifier: BSD-3-Clause
// Backtracking over characters must leave the symbols that merging leaves, or say that it can not.
#include "lib/token/char_backtracking.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "lib/token/load.h"
#include "lib/token/sentencepiece_bpe.h"
#include "lib/token/sentencepiece_model.h"
#include "tests/support/sentencepiece_proto.h"

using namespace longhaul::token;
using namespace longhaul::testing;

namespace {

const std::vector<std::string> kCharacters{"a", "b", "\u00E9", "\u4E2D", "\u4E00"};

std::string random_text(std::mt19937& random, size_t most, size_t num_characters) {
    std::string text;
    for (size_t left = 1 + random() % most; left > 0; --left) {
        text += kCharacters[random() % num_characters];
    }
    return text;
}

/// A model of random pieces: the first `num_characters` of kCharacters may appear in them, not all
/// are pieces. @param in_order every piece can be made of earlier ones, as a trainer makes them
SentencePieceModel random_model(std::mt19937& random, size_t num_characters, bool in_order) {
    std::vector<std::string> texts;
    const auto is_new = [&](const std::string& text) {
        return std::find(texts.begin(), texts.end(), text) == texts.end();
    };
    for (size_t i = random() % 2; i < num_characters; ++i) texts.push_back(kCharacters[i]);
    for (int tries = 0; tries < 60; ++tries) {
        const auto part = [&] {
            return random() % 3 == 0 || texts.empty() ? random_text(random, 1, num_characters)
                                                      : texts[random() % texts.size()];
        };
        const std::string text =
            in_order ? part() + part() : random_text(random, 6, num_characters);
        if (is_new(text) && text.size() < 40) texts.push_back(text);
    }
    std::string proto = proto_piece("<unk>", 0, 2);
    const bool has_ties = random() % 2 == 0;
    const uint32_t num_scores = in_order || random() % 2 == 0 ? 1u << 30 : 8;
    for (size_t i = 0; i < texts.size(); ++i) {
        auto rank = in_order ? static_cast<uint32_t>(i) : random() % num_scores;
        if (in_order && has_ties && i > texts.size() / 2) rank = 1000;  // as Llama's runs of spaces
        proto += proto_piece(texts[i], -static_cast<float>(rank), random() % 20 == 0 ? 4 : 1);
    }
    return read_sentencepiece_model(proto + proto_bytes(2, proto_number(3, 2)) + proto_bytes(3, ""),
                                    "random");
}

}  // namespace

TEST_CASE("char backtracking: the symbols of merging, for random vocabularies") {
    std::mt19937 random(5);
    size_t num_possible = 0;
    for (int round = 0; round < 1500; ++round) {
        const size_t num_characters = 1 + random() % kCharacters.size();
        const SentencePieceModel file = random_model(random, num_characters, round % 3 != 0);
        const SentencePieceBpe model(file);
        model.prepare();
        num_possible += model.is_linear() ? 1 : 0;
        for (int i = 0; i < 30; ++i) {
            const std::string text = random_text(random, i == 0 ? 300 : 30, kCharacters.size());
            std::vector<uint32_t> ids, merged;
            model.encode(text, ids);
            model.encode_whole(text, merged);
            CAPTURE(text);
            REQUIRE(ids == merged);
        }
    }
    CHECK(num_possible > 200);
    CHECK(num_possible < 1500);  // those out of order have some that are not possible
}
