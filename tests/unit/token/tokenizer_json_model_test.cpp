// SPDX-License-Identifier: BSD-3-Clause
// The "model" section of tokenizer.json: what it means, and what is refused.
#include "lib/token/tokenizer_json_model.h"

#include <doctest/doctest.h>

#include <functional>

#include "lib/token/byte_level.h"

using namespace longhaul;
using namespace longhaul::token;
using io::Json;

namespace {

struct Built {
    std::unique_ptr<Model> model;
    std::vector<std::string> warnings;
};

Built build(const Json& model, bool is_byte_level = false) {
    const std::string text = Json{{"model", model}}.dump();
    JsonModel reader("t.json");
    ParsedVocabulary parsed;
    const Json document = parse_with_vocabulary(text, "t.json", reader.visitor(), parsed);
    Built built;
    const JsonField root(&document, "t.json");
    built.model = reader.build(root.member("model"), parsed, is_byte_level, built.warnings);
    return built;
}

std::vector<uint32_t> encode(const Json& model, std::string_view piece) {
    std::vector<uint32_t> ids;
    build(model).model->encode(piece, ids);
    return ids;
}

using Ids = std::vector<uint32_t>;

/// Characters a b c, two merges, an unknown token and the bytes of U+00E9 only.
Json small_bpe() {
    return {{"type", "BPE"},
            {"unk_token", "<unk>"},
            {"vocab",
             {{"<unk>", 0},
              {"a", 1},
              {"b", 2},
              {"c", 3},
              {"ab", 4},
              {"abc", 5},
              {"<0xC3>", 6},
              {"<0xA9>", 7}}},
            {"merges", Json::array({"a b", Json::array({"ab", "c"})})}};
}

Json small_unigram() {
    const std::vector<std::pair<const char*, double>> tokens = {
        {"<unk>", 0}, {"a", -1}, {"b", -2}, {"ab", -2.5}, {"<0xC3>", -9}, {"<0xA9>", -9}};
    Json model{{"type", "Unigram"}, {"unk_id", 0}, {"vocab", Json::array()}};
    for (const auto& [text, score] : tokens) {
        model["vocab"].push_back(Json::array({text, score}));
    }
    return model;
}

Json small_word_piece() {
    return {{"type", "WordPiece"},
            {"unk_token", "[UNK]"},
            {"continuing_subword_prefix", "##"},
            {"max_input_chars_per_word", 5},
            {"vocab", {{"[UNK]", 0}, {"a", 1}, {"##a", 2}, {"##ab", 3}, {"##", 4}, {"#", 5}}}};
}

void check_problem(Json model, const std::function<void(Json&)>& change, const char* expected,
                   bool is_byte_level = false) {
    CAPTURE(std::string(expected));
    change(model);
    std::string message;
    try {
        build(model, is_byte_level);
    } catch (const Error& error) {
        message = error.describe();
    }
    CHECK(message.starts_with("t.json: "));
    CHECK_MESSAGE(message.find(expected) != std::string::npos, message);
}

}  // namespace

TEST_CASE("json model: unknown characters of a BPE") {
    Json model = small_bpe();
    CHECK(encode(model, "abcab") == Ids{5, 4});
    CHECK(encode(model, "axxb") == Ids{1, 0, 0, 2});
    model["fuse_unk"] = true;
    CHECK(encode(model, "axxb") == Ids{1, 0, 2});
    model["byte_fallback"] = true;
    // The unknown character comes out after the bytes that follow it: so HF tokenizers does it.
    CHECK(encode(model, "x\u00E9b") == Ids{6, 7, 0, 2});
    CHECK(encode(model, "x\u00E9x") == Ids{6, 7, 0});
    CHECK(encode(model, "\u00E8") == Ids{0});  // one byte of two has no token
    model["fuse_unk"] = false;
    CHECK(encode(model, "x\u00E9x") == Ids{6, 7, 0, 0});
    CHECK(build(model).warnings.empty());
    model["unk_token"] = nullptr;
    CHECK(encode(model, "xa\u00E9x") == Ids{1, 6, 7});
    CHECK(build(model).warnings.size() == 1);
    CHECK(build(model).model->loses_text());
}

TEST_CASE("json model: a BPE with all bytes needs no unknown token") {
    Json model = small_bpe();
    model["byte_fallback"] = true;
    model["unk_token"] = "<none>";
    model["vocab"] = {{"a", 256}};
    model["merges"] = Json::array();
    for (unsigned byte = 0; byte < 256; ++byte) {
        model["vocab"][format("<0x{:02X}>", byte)] = byte;
    }
    CHECK(encode(model, "a\u00E9") == Ids{256, 0xC3, 0xA9});
    CHECK_FALSE(build(model).model->loses_text());
    CHECK(build(model).model->cuts_pieces());
}

TEST_CASE("json model: affixes of a BPE") {
    Json model = small_bpe();
    model["continuing_subword_prefix"] = "##";
    model["end_of_word_suffix"] = "_";
    model["vocab"] = {{"<unk>", 0}, {"a", 1},    {"##b", 2}, {"##c_", 3},
                      {"ab", 4},    {"abc_", 5}, {"c_", 6},  {"##a_", 7}};
    model["merges"] = Json::array({"a ##b", "ab ##c_"});
    CHECK(encode(model, "abc") == Ids{5});
    CHECK(encode(model, "aba") == Ids{4, 7});
    CHECK(encode(model, "c") == Ids{6});
    CHECK(encode(model, "a") == Ids{0});  // "a_" is no token
    CHECK_FALSE(build(model).model->cuts_pieces());
    check_problem(
        model,
        [](Json& m) {
            m["vocab"]["b"] = 8;
            m["merges"][0] = "a b";
        },
        "the second part is shorter than continuing_subword_prefix");
}

TEST_CASE("json model: ignore_merges of a BPE over characters") {
    Json model = small_bpe();
    model["vocab"]["bca"] = 8;
    CHECK(encode(model, "bca") == Ids{2, 3, 1});
    model["ignore_merges"] = true;
    CHECK(encode(model, "bca") == Ids{8});
    CHECK(encode(model, "bcab") == Ids{2, 3, 4});
    CHECK_FALSE(build(model).model->cuts_pieces());
}

TEST_CASE("json model: Unigram") {
    Json model = small_unigram();
    CHECK(encode(model, "abb") == Ids{3, 2});
    CHECK(encode(model, "axyb") == Ids{1, 0, 2});  // unknown ones are always fused
    CHECK(encode(model, "a<unk>b") == Ids{1, 0, 2});
    CHECK(encode(model, "<unk>") == Ids{0});
    CHECK(encode(model, "\u00E9") == Ids{0});
    model["byte_fallback"] = true;
    CHECK(encode(model, "a\u00E9b") == Ids{1, 4, 5, 2});
    CHECK(encode(model, "\u00E9x") == Ids{0});  // fused first: one of its bytes has no token
    model.erase("type");
    CHECK(encode(model, "abb") == Ids{3, 2});
    model["vocab"].push_back(Json::array({"ab", -9.0}));  // the last one counts
    CHECK(encode(model, "ab") == Ids{1, 2});
    CHECK(build(model).warnings.size() == 1);
}

TEST_CASE("json model: WordPiece and WordLevel") {
    Json model = small_word_piece();
    CHECK(encode(model, "aaab") == Ids{1, 2, 3});
    CHECK(encode(model, "aabb") == Ids{0});
    CHECK(encode(model, "aaaaa") == Ids{1, 2, 2, 2, 2});
    CHECK(encode(model, "aaaaaa") == Ids{0});  // too long
    CHECK(encode(model, "##aa") == Ids{2, 2});
    CHECK(encode(model, "b") == Ids{0});
    model.erase("type");
    CHECK(encode(model, "aaab") == Ids{1, 2, 3});
    model.erase("max_input_chars_per_word");
    CHECK(encode(model, "aa") == Ids{0});
    CHECK(encode(model, "##a") == Ids{2});
    model["type"] = "WordLevel";
    CHECK(encode(model, "#") == Ids{5});
    CHECK(build(model).model->loses_text());
}

TEST_CASE("json model: wrong models are refused with their place") {
    const auto bpe = [](const auto& change, const char* expected) {
        check_problem(small_bpe(), change, expected);
    };
    bpe([](Json& m) { m["type"] = "WordBag"; }, "model.type: \"WordBag\" is not known");
    bpe([](Json& m) { m["type"] = 1; }, "model.type: is not a string");
    bpe([](Json& m) { m["type"] = "Unigram"; }, "model.vocab: is missing or not an array");
    bpe([](Json& m) { m["dropout"] = 0.1; }, "model.dropout: random merges are refused");
    bpe([](Json& m) { m["dropout"] = "no"; }, "model.dropout: is not a number");
    bpe([](Json& m) { m["byte_fallback"] = "no"; }, "byte_fallback: is neither true nor false");
    bpe([](Json& m) { m["fuse_unk"] = 1; }, "fuse_unk: is neither true nor false");
    bpe([](Json& m) { m["ignore_merges"] = 1; }, "ignore_merges: is neither true nor false");
    bpe([](Json& m) { m["unk_token"] = "?"; }, "unk_token: \"?\" is not in the vocabulary");
    bpe([](Json& m) { m["unk_token"] = 0; }, "unk_token: is not a string");
    bpe([](Json& m) { m["end_of_word_suffix"] = 0; }, "end_of_word_suffix: is not a string");
    bpe([](Json& m) { m["vocab"]["a"] = 2; }, "two tokens have id 2");
    bpe([](Json& m) { m["vocab"]["a"] = -1; }, "token \"a\": id -1 is not in");
    bpe([](Json& m) { m["vocab"] = Json::array(); }, "model.vocab: is missing or not an object");
    bpe([](Json& m) { m["merges"][0] = "b c"; }, "merges[0]: \"b c\": \"bc\" is not in the");
    bpe([](Json& m) { m["merges"][0] = "a d"; }, "merges[0]: \"a d\": \"d\" is not in the");
    bpe([](Json& m) { m.erase("merges"); }, "model.merges: is missing or not an array");
    check_problem(
        small_bpe(), [](Json& m) { m["byte_fallback"] = true; },
        "byte_fallback: true in a byte-level BPE that lacks bytes", true);
    check_problem(
        small_bpe(),
        [](Json& m) {
            m["byte_fallback"] = true;
            m["end_of_word_suffix"] = "_";
        },
        "byte_fallback: true with affixes");
    const auto word_piece = [](const auto& change, const char* expected) {
        check_problem(small_word_piece(), change, expected);
    };
    word_piece([](Json& m) { m.erase("unk_token"); }, "model.unk_token: is missing");
    word_piece([](Json& m) { m["unk_token"] = "?"; }, "unk_token: \"?\" is not in the vocabulary");
    word_piece([](Json& m) { m.erase("continuing_subword_prefix"); }, "prefix: is not a string");
    word_piece([](Json& m) { m["max_input_chars_per_word"] = -1; }, "per_word: is negative");
    word_piece([](Json& m) { m["max_input_chars_per_word"] = nullptr; }, "per_word: is not an int");
    word_piece([](Json& m) { m.erase("vocab"); }, "model.vocab: is missing or not an object");
    const auto unigram = [](const auto& change, const char* expected) {
        check_problem(small_unigram(), change, expected);
    };
    unigram([](Json& m) { m.erase("unk_id"); }, "model.unk_id: is missing");
    unigram([](Json& m) { m["unk_id"] = 6; }, "model.unk_id: 6 is not in 0..5");
    unigram([](Json& m) { m["unk_id"] = -1; }, "model.unk_id: -1 is not in 0..5");
    unigram([](Json& m) { m["unk_id"] = "0"; }, "model.unk_id: is not an integer");
    unigram([](Json& m) { m["byte_fallback"] = 1; }, "byte_fallback: is neither");
    unigram([](Json& m) { m["vocab"][1] = "a"; }, "vocab[1]: is not [text, score]");
    unigram([](Json& m) { m["vocab"][1][0] = 1; }, "vocab[1]: is not [text, score]");
    unigram([](Json& m) { m["vocab"][1][1] = "1"; }, "vocab[1]: is not [text, score]");
    unigram([](Json& m) { m["vocab"][1].push_back(1); }, "vocab[1]: is not [text, score]");
    unigram([](Json& m) { m["vocab"][1].erase(1); }, "vocab[1]: is not [text, score]");
    unigram([](Json& m) { m["vocab"][1][1] = Json::array(); }, "vocab[1]: is not [text, score]");
    unigram([](Json& m) { m["vocab"] = Json::object(); }, "model.vocab: is missing or not an");
    unigram([](Json& m) { m["vocab"] = Json::array(); }, "model.unk_id: 0 is not in 0..-1");
}
