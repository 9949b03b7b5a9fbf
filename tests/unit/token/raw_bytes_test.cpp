// SPDX-License-Identifier: BSD-3-Clause
// Bytes that are not UTF-8 as tokens.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "lib/base/error.h"
#include "lib/text/unicode.h"
#include "lib/token/bpe.h"
#include "lib/token/byte_piece.h"
#include "lib/token/encoder.h"
#include "lib/token/load.h"
#include "lib/token/raw_bytes.h"
#include "tests/unit/token/test_files.h"

using namespace longhaul;
using namespace longhaul::token;

namespace {

const std::string kData = LH_TEST_DATA "/token/";
using Ids = std::vector<uint32_t>;

Tokenizer load(const std::string& name) {
    if (name.starts_with("sp_")) {
        return Tokenizer(
            parse_sentencepiece(test::read_all(kData + "models/" + name + ".model.zst"), name));
    }
    const bool is_model = !std::filesystem::exists(kData + name + ".json");
    const std::string path = kData + (is_model ? "models/" + name + ".json.zst" : name + ".json");
    return Tokenizer(parse_tokenizer_json(test::read_all(path), name));
}

/// A text of good and bad parts.
std::string mixed_bytes(std::mt19937& random) {
    static const std::vector<std::string> kParts = {"the quick fox ", "d\u00E9j\u00E0 vu",
                                                    " 12345",         "\n\n  ",
                                                    "\u65E5\u672C",   "\U0001F600",
                                                    "\uFFFD",         "\U0010FFFE",
                                                    "don't",          "!?.",
                                                    "\xFF",           "\xC3",
                                                    "\xE2\x82",       "\xF0\x9F\x98",
                                                    "\xED\xA0\x80",   "\x80\xBF",
                                                    "\xC0\xAF",       " "};
    std::string text;
    for (unsigned i = 0, count = random() % 12; i <= count; ++i)
        text += kParts[random() % kParts.size()];
    return text;
}

/// What of it is not UTF-8.
std::string bad_bytes(std::string_view text) {
    std::string bad;
    for (size_t at = 0; at < text.size();) {
        const text::Decoded decoded = text::decode_utf8(text, at);
        if (!decoded.is_valid) bad += text.substr(at, decoded.length);
        at += decoded.length;
    }
    return bad;
}

}  // namespace

TEST_CASE("raw bytes: stand-ins") {
    const std::string bytes = "a\xE2\x82\uFFFD\xFF\xFE-";
    const StandIns stand_ins(bytes, "\uFFFD");
    CHECK(stand_ins.text() == "a\uFFFD\uFFFD\uFFFD\uFFFD-");
    REQUIRE(stand_ins.occurrences().size() == 4);
    CHECK(stand_ins.occurrences()[0] == "\xE2\x82");
    CHECK(stand_ins.occurrences()[1].empty());  // the text's own
    CHECK(stand_ins.occurrences()[2] == "\xFF");
    CHECK(stand_ins.occurrences()[3] == "\xFE");
}

TEST_CASE("raw bytes: byte-level pieces are those of the text with U+FFFD") {
    const Tokenizer tokenizer = load("hf_gpt2");
    Encoder encoder(tokenizer, {});
    const auto* const model = dynamic_cast<const Bpe*>(tokenizer.parts().model.get());
    REQUIRE(model != nullptr);
    Ids ids, expected;
    encoder.encode_bytes("the \xFF\xFE, a\xE2\x82z", ids);
    // A symbol takes the space before it and other symbols, no letters.
    for (const char* piece : {"the", " \xFF\xFE,", " a", "\xE2\x82", "z"}) {
        model->encode(piece, expected);
    }
    CHECK(ids == expected);
    CHECK(tokenizer.decode_bytes(ids, false) == "the \xFF\xFE, a\xE2\x82z");
    CHECK(tokenizer.decode(ids, false) == "the \uFFFD\uFFFD, a\uFFFDz");
}

TEST_CASE("raw bytes: texts that are UTF-8 have their ids, others come back") {
    for (const char* name : {"hf_gpt2", "hf_llama3", "hf_o200k", "hf_general"}) {
        CAPTURE(name);
        const Tokenizer tokenizer = load(name);
        CHECK(why_no_raw_bytes(tokenizer).empty());
        Encoder encoder(tokenizer, {}), general(tokenizer, {SpecialText::kPlain, 1 << 16, false});
        std::mt19937 random(7);
        for (int i = 0; i < 300; ++i) {
            const std::string text = mixed_bytes(random);
            Ids ids, again, slow;
            encoder.encode_bytes(text, ids);
            general.encode_bytes(text, slow);
            CHECK(ids == slow);
            if (tokenizer.is_lossless()) CHECK(tokenizer.decode_bytes(ids, false) == text);
            if (!text::is_valid_utf8(text)) continue;
            encoder.encode(text, again);
            CHECK(ids == again);
        }
    }
}

TEST_CASE("raw bytes: byte fallback gives the token of each byte, and cuts there") {
    for (const char* name : {"hf_char_llama", "sp_bpe_llama", "sp_unigram_fallback"}) {
        CAPTURE(name);
        const Tokenizer tokenizer = load(name);
        CHECK(why_no_raw_bytes(tokenizer).empty());
        Encoder encoder(tokenizer, {});
        Ids ids;
        encoder.encode_bytes("a\xFFz\xE2\x82", ids);
        Ids bytes;
        for (const uint32_t id : ids) {
            if (piece_byte(tokenizer.token_bytes(id))) bytes.push_back(id);
        }
        const auto byte_id = [&](uint8_t byte) { return *tokenizer.find_token(byte_piece(byte)); };
        CHECK(bytes == Ids{byte_id(0xFF), byte_id(0xE2), byte_id(0x82)});
        // Not without control tokens: in one of the models those of bytes are.
        CHECK(tokenizer.decode_bytes(ids, false) == "a\xFFz\xE2\x82");
        std::mt19937 random(9);
        for (int i = 0; i < 200; ++i) {
            const std::string text = mixed_bytes(random);
            Ids all, again;
            encoder.encode_bytes(text, all);
            // Normalising changes text, but what is not text stays, byte for byte.
            CHECK(bad_bytes(tokenizer.decode_bytes(all, false)) == bad_bytes(text));
            if (!text::is_valid_utf8(text)) continue;
            encoder.encode(text, again);
            CHECK(all == again);
        }
    }
}

TEST_CASE("raw bytes: refused where there are no tokens for bytes") {
    for (const char* name : {"hf_char_partial", "hf_char_dropped", "hf_char_affixes", "hf_clip",
                             "hf_unigram", "hf_word_piece", "hf_word_level", "sp_unigram_nfkc"}) {
        CAPTURE(name);
        const Tokenizer tokenizer = load(name);
        CHECK(why_no_raw_bytes(tokenizer).find("no tokens for bytes") != std::string::npos);
        Encoder encoder(tokenizer, {});
        Ids ids;
        CHECK_THROWS_AS(encoder.encode_bytes("\xFF", ids), DataError);
    }
}

TEST_CASE("raw bytes: control text in them is found, or refused") {
    const Tokenizer tokenizer = load("hf_gpt2");
    const std::string text = "\xFF<|endoftext|>\xFE";
    Ids ids;
    Encoder parse(tokenizer, {SpecialText::kParse}), refuse(tokenizer, {SpecialText::kRefuse});
    CHECK(parse.encode_bytes(text, ids) == nullptr);
    CHECK(std::count(ids.begin(), ids.end(), *tokenizer.find_token("<|endoftext|>")) == 1);
    CHECK(tokenizer.decode_bytes(ids, false) == text);
    ids.clear();
    CHECK(refuse.encode_bytes(text, ids) != nullptr);
    CHECK(ids.empty());
}
