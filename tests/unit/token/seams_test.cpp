// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/seams.h"

#include <doctest/doctest.h>

#include <array>
#include <random>

#include "lib/text/unicode.h"
#include "lib/token/bpe.h"
#include "lib/token/piece_encoder.h"

using namespace longhaul;
using namespace longhaul::token;

namespace {

/// A vocabulary of 256 bytes and random merges of what stands side by side in `text`, so that
/// tokens begin and end inside characters too.
Bpe random_bpe(std::mt19937& random, const std::string& text, int num_merges, bool whole_first) {
    Vocabulary vocabulary;
    MergeTable merges;
    for (unsigned byte = 0; byte < 256; ++byte) {
        vocabulary.add(byte, std::string(1, static_cast<char>(byte)), true);
    }
    uint32_t rank = 0;
    for (int i = 0; i < num_merges; ++i) {
        const size_t length = 2 + random() % 7, at = random() % (text.size() - length);
        const std::string whole = text.substr(at, length);
        const size_t cut = 1 + random() % (length - 1);
        const uint32_t left = vocabulary.find(whole.substr(0, cut));
        const uint32_t right = vocabulary.find(whole.substr(cut));
        if (left == kNoToken || right == kNoToken || vocabulary.find(whole) != kNoToken) continue;
        vocabulary.add(vocabulary.size(), whole, true);
        merges.set(left, right, {rank++, vocabulary.find(whole)});
    }
    // A token that no merge makes: only whole pieces may become it.
    if (whole_first) vocabulary.add(vocabulary.size(), "\u4E2D\u6587", true);
    return Bpe(std::move(vocabulary), std::move(merges), {.whole_piece_first = whole_first});
}

std::string random_text(std::mt19937& random, size_t num_characters) {
    const char32_t firsts[] = {'a', 0xE0, 0x430, 0x4E00, 0x4E2D, 0x6587, 0x1F600};
    std::string text;
    for (size_t i = 0; i < num_characters; ++i) {
        text::append_utf8(firsts[random() % std::size(firsts)] + random() % 3, text);
    }
    return text;
}

}  // namespace

TEST_CASE("seams: parts encoded alone give the ids of the whole") {
    std::mt19937 random(8);
    size_t num_parts = 0, num_texts = 0;
    for (int round = 0; round < 60; ++round) {
        const Bpe bpe = random_bpe(random, random_text(random, 400), 1 << round % 12, round % 2);
        REQUIRE(bpe.cuts_pieces());
        for (int i = 0; i < 60; ++i) {
            const std::string text = random_text(random, 1 + random() % 30);
            std::vector<uint32_t> whole, parts;
            bpe.encode_part(text, whole);
            for (PartCursor cursor(bpe, text, true); !cursor.is_done(); ++num_parts) {
                bpe.encode_part(cursor.next(), parts);
            }
            CAPTURE(text);
            REQUIRE(whole == parts);
            ++num_texts;
        }
    }
    CHECK(num_parts > 3 * num_texts);
}

TEST_CASE("seams: pieces without spaces have the same ids at every sight") {
    std::mt19937 random(5);
    for (int round = 0; round < 24; ++round) {
        const Bpe bpe = random_bpe(random, random_text(random, 400), 1 << round % 12, round % 2);
        std::string text;
        std::vector<uint32_t> ends, expected;
        for (int i = 0; i < 300; ++i) {
            const size_t begin = text.size();
            text += random_text(random, 1 + random() % (i % 50 == 0 ? 200 : 25));
            if (i % 3 != 0) text += "\u4E2D\u6587";
            ends.push_back(static_cast<uint32_t>(text.size()));
            bpe.encode(std::string_view(text).substr(begin), expected);
        }
        for (const size_t budget : {size_t{0}, size_t{16} << 20}) {
            PieceEncoder encoder(bpe, budget);
            for (int sight = 0; sight < 3; ++sight) {
                std::vector<uint32_t> ids;
                encoder.encode(text, 0, ends, ids);
                REQUIRE(ids == expected);
            }
        }
    }
}

TEST_CASE("seams: none are seen in what is not well-formed") {
    Vocabulary vocabulary;
    vocabulary.add(0, "\u4E2D\u6587", true);
    vocabulary.add(1, "a\u4E2D", true);
    const Seams seams(vocabulary);
    const auto first = [&](std::string_view text) {
        std::array<uint32_t, 8> ends;
        return seams.cut(text, ends) > 0 ? ends[0] : 0;
    };
    for (const std::string_view text : {"\x80"
                                        "bc",
                                        "\xE4"
                                        "ab",
                                        "\xE4\xB8",
                                        "a\x80"
                                        "b",
                                        "a\xE4\xB8"}) {
        CHECK(first(text) == text.size());
    }
    CHECK(first("\u4E2D\u6587") == 6);
    CHECK(first("\u4E2D\u6587\u6587") == 6);
    CHECK(first("\u4E2D\u6587\u6587ab") == 6);
    CHECK(first("\u6587\u4E2D") == 3);
    CHECK(first("a\u4E2Db") == 4);
    CHECK(first("\u4E2Da") == 3);
    CHECK(first("ab") == 2);  // between short characters none is looked for
}
