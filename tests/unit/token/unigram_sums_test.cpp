// SPDX-License-Identifier: BSD-3-Clause
// How sentencepiece adds up scores decides near ties. The expected ids are those of sentencepiece
// 0.2.3 for a model of these pieces.
#include <doctest/doctest.h>

#include <string>

#include "lib/token/unigram.h"

using namespace longhaul::token;

namespace {

/// Ids of "ab" behind `count` times "x": the score of "a" + "b" is the better one by 0.004.
std::vector<uint32_t> ids_behind(size_t count) {
    Vocabulary vocabulary;
    uint32_t id = 0;
    for (const char* piece : {"<unk>", "x", "a", "b", "ab"}) vocabulary.add(id++, piece, true);
    Unigram::Options options;
    options.reference = Unigram::Reference::kSentencePiece;
    options.unknown_score = -1010;
    const float a = -1.004F, ab = -2.012F;
    const Unigram model(std::move(vocabulary), {{1, -1000}, {2, a}, {3, a}, {4, ab}}, options);
    std::vector<uint32_t> ids;
    model.encode(std::string(count, 'x') + "ab", ids);
    return {ids.begin() + static_cast<std::ptrdiff_t>(count), ids.end()};
}

}  // namespace

TEST_CASE("unigram: sums are floats that begin again from 0 below -100000") {
    const std::vector<uint32_t> exact{2, 3}, tie{4};
    CHECK(ids_behind(0) == exact);
    CHECK(ids_behind(65) == exact);
    CHECK(ids_behind(66) == tie);  // beyond 65536 a float knows steps of 1/128
    CHECK(ids_behind(99) == tie);
    CHECK(ids_behind(100) == exact);
    CHECK(ids_behind(166) == exact);
    CHECK(ids_behind(167) == tie);
    CHECK(ids_behind(200) == tie);
    CHECK(ids_behind(201) == exact);
    CHECK(ids_behind(300) == tie);
}
