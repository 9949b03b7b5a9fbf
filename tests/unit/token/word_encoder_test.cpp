// SPDX-License-Identifier: BSD-3-Clause
// Texts encoded word by word must give the ids of the general path, and be cut where the rule says.
#include "lib/token/word_encoder.h"

#include <doctest/doctest.h>

#include <random>

#include "lib/io/json.h"
#include "lib/text/unicode.h"
#include "lib/token/byte_piece.h"
#include "lib/token/encoder.h"
#include "lib/token/load.h"
#include "lib/token/word_cutter.h"

using namespace longhaul;
using namespace longhaul::token;
using io::Json;

namespace {

/// A tokenizer.json of BPE with byte fallback whose merges make `words`, all ways there are.
Json bpe_of(const std::vector<std::string>& words) {
    Json vocab = {{"<unk>", 0}}, merges = Json::array();
    const auto add = [&](const std::string& text) {
        if (!vocab.contains(text)) vocab[text] = vocab.size();
    };
    for (unsigned byte = 0; byte < 256; ++byte) add(byte_piece(static_cast<uint8_t>(byte)));
    for (const char* text : {"\u2581", "a", "b", ",", "1", "\u0431", "\u0301", "\n"}) add(text);
    for (const std::string& word : words) {
        add(word);
        for (size_t cut = 1; cut < word.size(); ++cut) {
            const std::string left = word.substr(0, cut), right = word.substr(cut);
            if (!vocab.contains(left) || !vocab.contains(right)) continue;
            merges.push_back(Json::array({left, right}));
        }
    }
    return {{"model",
             {{"type", "BPE"},
              {"vocab", vocab},
              {"merges", merges},
              {"byte_fallback", true},
              {"fuse_unk", true},
              {"unk_token", "<unk>"}}}};
}

const std::vector<std::string> kWords{"\u2581\u2581", "\u2581a",      "ab",           "\u2581ab",
                                      "b,",           "\u0431\u0431", "\u2581\u0431", "\n\n"};
Json replace_spaces() {
    return {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "\u2581"}};
}
Json sequence_of(const std::string& member, const Json& steps) {
    return {{"type", "Sequence"}, {member, steps}};
}
Json llama_of(const std::vector<std::string>& words) {
    Json file = bpe_of(words);
    file["normalizer"] = sequence_of(
        "normalizers", {{{"type", "Prepend"}, {"prepend", "\u2581"}}, replace_spaces()});
    return file;
}
Json mistral_of(const std::string& scheme) {
    Json file = bpe_of(kWords);
    file["pre_tokenizer"] = {{"type", "Metaspace"},
                             {"replacement", "\u2581"},
                             {"prepend_scheme", scheme},
                             {"split", false}};
    return file;
}
Json gemma() {
    Json file = bpe_of(kWords);
    file["normalizer"] = replace_spaces();
    file["pre_tokenizer"] = {{"type", "Split"},
                             {"pattern", {{"String", " "}}},
                             {"behavior", "MergedWithPrevious"},
                             {"invert", false}};
    return file;
}
Json bert(bool cleans_text) {
    Json vocab;
    for (const char* text :
         {"[UNK]", "a", "b", "##b", "##a", "ab", ",", "1", "\u0431", "##\u0431"}) {
        vocab[text] = vocab.size();
    }
    return {{"normalizer",
             {{"type", "BertNormalizer"},
              {"clean_text", cleans_text},
              {"handle_chinese_chars", true},
              {"strip_accents", nullptr},
              {"lowercase", true}}},
            {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
            {"model",
             {{"type", "WordPiece"},
              {"vocab", vocab},
              {"unk_token", "[UNK]"},
              {"continuing_subword_prefix", "##"},
              {"max_input_chars_per_word", 20}}}};
}
/// The steps of XLNet without its table; words of the Metaspace.
Json metaspace_words() {
    Json file = bpe_of(kWords);
    file["normalizer"] =
        sequence_of("normalizers", {{{"type", "NFKD"}}, {{"type", "StripAccents"}}});
    file["pre_tokenizer"] = sequence_of(
        "pretokenizers",
        {{{"type", "WhitespaceSplit"}}, {{"type", "Metaspace"}, {"replacement", "\u2581"}}});
    return file;
}

Tokenizer load(const Json& file) {
    return Tokenizer(parse_tokenizer_json(file.dump(), "test"));
}

std::string random_text(std::mt19937& random, size_t most) {
    static const std::vector<std::string> kParts{
        "a",      "b",      "ab",     " ",      " ",      "  ",     "\n",     "\n\n", "\t",
        "\r\n",   ",",      "1",      "x",      "\u2581", "\u00A0", "\u3000", "A",    "\u0431",
        "\u0301", "\u00E9", "\u4E2D", "\uFDFA", "\u0600", "\u200B", "\x01",   "``",   "\U0001F600"};
    std::string text;
    for (size_t left = random() % most; left > 0; --left) {
        const std::string& part = kParts[random() % kParts.size()];
        for (size_t times = random() % 16 == 0 ? random() % 40 : 1; times > 0; --times)
            text += part;
    }
    return text;
}

void check_equal(const Tokenizer& tokenizer) {
    Encoder fast(tokenizer, {SpecialText::kPlain, 1 << 16, true});
    Encoder general(tokenizer, {SpecialText::kPlain, 0, false});
    std::mt19937 random(7);
    size_t num_wrong = 0;
    for (size_t i = 0; i < 6000; ++i) {
        const std::string text = random_text(random, i % 100 == 0 ? 2000 : 24);
        std::vector<uint32_t> ids, expected;
        fast.encode(text, ids);
        general.encode(text, expected);
        if (ids != expected && num_wrong++ < 3) MESSAGE(Json(text).dump());
    }
    CHECK(num_wrong == 0);
}

}  // namespace

TEST_CASE("word encoder: marked texts have the ids of the general path") {
    for (const Json& file : {llama_of(kWords), mistral_of("first"), mistral_of("always"),
                             mistral_of("never"), gemma()}) {
        CAPTURE(file.value("pre_tokenizer", Json()).dump());
        const Tokenizer tokenizer = load(file);
        const auto rule = find_word_rule(tokenizer.parts());
        REQUIRE(rule.has_value());
        CHECK(rule->kind == WordRule::Kind::kMarked);
        check_equal(tokenizer);
    }
}

TEST_CASE("word encoder: tokens across spaces and line feeds are kept") {
    for (const char* word : {"b\u2581", "\u0431\u2581", "a\n", "\n\u2581", "\n1", "\u2581\n"}) {
        CAPTURE(word);
        std::vector<std::string> words = kWords;
        words.push_back(word);
        const Tokenizer tokenizer = load(llama_of(words));
        CHECK(find_word_rule(tokenizer.parts()).has_value());
        check_equal(tokenizer);
    }
}

TEST_CASE("word encoder: split texts have the ids of the general path") {
    for (const Json& file : {bert(true), bert(false), metaspace_words()}) {
        const Tokenizer tokenizer = load(file);
        const auto rule = find_word_rule(tokenizer.parts());
        REQUIRE(rule.has_value());
        CHECK(rule->kind == WordRule::Kind::kSplit);
        CHECK(rule->cuts.blanks == " \n\t\r");
        check_equal(tokenizer);
    }
}

TEST_CASE("word encoder: no rule where a word depends on what is around it") {
    Json file = llama_of(kWords);
    file["model"]["ignore_merges"] = true;
    CHECK_FALSE(find_word_rule(load(file).parts()).has_value());
    file = bert(true);
    file["normalizer"] = {{"type", "Replace"}, {"pattern", {{"String", "a b"}}}, {"content", "b"}};
    CHECK(find_word_rule(load(file).parts())->cuts.blanks == "\n\t\r");
    check_equal(load(file));
    file["normalizer"] = {{"type", "Strip"}, {"strip_left", false}, {"strip_right", true}};
    CHECK_FALSE(find_word_rule(load(file).parts()).has_value());
    file["normalizer"] = {{"type", "Replace"}, {"pattern", {{"String", " b"}}}, {"content", "b"}};
    CHECK(find_word_rule(load(file).parts())->cuts.blanks == "\n\t\r");
    check_equal(load(file));
}

TEST_CASE("word cutter: equal to a search byte by byte") {
    std::mt19937 random(3);
    WordCutter::Options options;
    options.blanks = " \t";
    options.cuts_classes = true;
    for (auto& row : options.allowed) row = std::bitset<256>(0xFFFF).flip();
    const auto class_of = [](unsigned char c) {
        return std::isalpha(c) ? 1 : std::isdigit(c) ? 2 : c == '\n' ? 3 : c >= 0x80 ? 4 : 5;
    };
    const auto is_blank = [&](char c) { return options.blanks.find(c) != std::string::npos; };
    const WordCutter cutter(options);
    for (size_t i = 0; i < 2000; ++i) {
        const std::string text = random_text(random, i % 50 == 0 ? 6000 : 80) + "a";
        std::vector<size_t> expected, found;
        for (size_t at = 1; at < text.size(); ++at) {
            const char last = text[at - 1], next = text[at];
            const bool is_border = is_blank(next) || class_of(static_cast<unsigned char>(last)) !=
                                                         class_of(static_cast<unsigned char>(next));
            const bool is_allowed =
                options.allowed[static_cast<unsigned char>(last)][static_cast<unsigned char>(next)];
            if (is_border && !is_blank(last) && is_allowed) expected.push_back(at);
        }
        expected.push_back(text.size());
        WordCutter::Ends ends;
        for (size_t begin = 0; begin < text.size();) {
            const size_t count = cutter.cut(text, begin, ends);
            for (size_t j = 0; j < count; ++j) found.push_back(begin + ends[j]);
            begin += ends[count - 1];
        }
        REQUIRE(found == expected);
    }
}
