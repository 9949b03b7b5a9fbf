// SPDX-License-Identifier: BSD-3-Clause
// The sections of tokenizer.json around the model: every field that is wrong, missing or of the
// wrong type is named with its path.
#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/token/load.h"
#include "tests/support/small_tokenizer.h"

using namespace longhaul;
using namespace longhaul::token;
using io::Json;

namespace {

/// The complaint about a small tokenizer whose `section` is replaced; "" when there is none.
std::string problem(const char* section, const std::string& json) {
    Json tokenizer = test::small_tokenizer();
    tokenizer[section] = Json::parse(json);
    try {
        parse_tokenizer_json(tokenizer.dump(), "t.json");
        return "";
    } catch (const Error& error) {
        return error.describe();
    }
}

struct Case {
    const char* json;
    const char* expected;  // "" where it is fine
};

void check_all(const char* section, const std::vector<Case>& cases) {
    for (const Case& one : cases) {
        CAPTURE(section);
        CAPTURE(one.json);
        const std::string message = problem(section, one.json);
        if (*one.expected == '\0') {
            CHECK(message == "");
        } else {
            CHECK_MESSAGE(message == std::string("t.json: ") + section + one.expected, message);
        }
    }
}

}  // namespace

TEST_CASE("load: normalizer, field by field") {
    check_all(
        "normalizer",
        {
            {R"(3)", ": is not an object"},
            {R"({})", ".type: is not a string"},
            {R"({"type":7})", ".type: is not a string"},
            {R"({"type":"Upper"})",
             ": \"Upper\" is not supported (NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, "
             "Prepend, Replace, Precompiled, ByteLevel, BertNormalizer, Nmt and Sequence are)"},
            {R"({"type":"Sequence"})", ".normalizers: is not an array"},
            {R"({"type":"Sequence","normalizers":1})", ".normalizers: is not an array"},
            {R"({"type":"Sequence","normalizers":[null]})", ".normalizers[0]: is not an object"},
            {R"({"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"x"}]})",
             ".normalizers[1]: \"x\" is not supported (NFC, NFD, NFKC, NFKD, Lowercase, "
             "StripAccents, Strip, Prepend, Replace, Precompiled, ByteLevel, BertNormalizer, Nmt "
             "and Sequence are)"},
            {R"({"type":"Strip","strip_right":true})",
             ".strip_left: is missing; it must be true or false"},
            {R"({"type":"Strip","strip_left":1,"strip_right":true})",
             ".strip_left: is neither true nor false"},
            {R"({"type":"Prepend"})", ".prepend: is not a string"},
            {R"({"type":"Prepend","prepend":1})", ".prepend: is not a string"},
            {R"({"type":"Replace","content":"a"})", ".pattern: is not an object"},
            {R"({"type":"Replace","pattern":"a","content":"a"})", ".pattern: is not an object"},
            {R"({"type":"Replace","pattern":{},"content":"a"})",
             ".pattern: is neither {Regex} nor {String}"},
            {R"({"type":"Replace","pattern":{"String":""},"content":"a"})",
             ".pattern.String: is empty"},
            {R"({"type":"Replace","pattern":{"String":"a"}})", ".content: is not a string"},
            {R"({"type":"Replace","pattern":{"Regex":"("},"content":"a"})",
             ".pattern.Regex: pattern: character 2: \")\" is missing"},
            {R"({"type":"Precompiled"})", ".precompiled_charsmap: is not a string"},
            {R"({"type":"Precompiled","precompiled_charsmap":"%%%%"})",
             ".precompiled_charsmap: is not base64"},
            {R"({"type":"BertNormalizer","handle_chinese_chars":true,"lowercase":true})",
             ".clean_text: is missing; it must be true or false"},
            {R"({"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,)"
             R"("lowercase":true,"strip_accents":"no"})",
             ".strip_accents: is neither true nor false"},
            {R"({"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,)"
             R"("lowercase":true,"strip_accents":null})",
             ""},
        });
    std::string deep = R"({"type":"NFC"})";
    for (int i = 0; i < 20; ++i) deep = R"({"type":"Sequence","normalizers":[)" + deep + "]}";
    CHECK(problem("normalizer", deep).ends_with("sequences are nested too deeply"));
}

TEST_CASE("load: pre_tokenizer, field by field") {
    const auto before_byte_level = [](const std::string& step) {
        return R"({"type":"Sequence","pretokenizers":[)" + step +
               R"(,{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true}]})";
    };
    const Case cases[] = {
        {R"({"type":"Split","behavior":"Isolated","invert":false})", ".pattern: is not an object"},
        {R"({"type":"Split","pattern":{"String":"a"},"invert":false})",
         ".behavior: is not a string"},
        {R"({"type":"Split","pattern":{"String":"a"},"behavior":"Sometimes","invert":false})",
         ".behavior: \"Sometimes\" is no behavior"},
        {R"({"type":"Split","pattern":{"String":"a"},"behavior":"Isolated"})",
         ".invert: is missing; it must be true or false"},
        {R"({"type":"Split","pattern":{"Regex":"(a"},"behavior":"Isolated","invert":false})",
         ".pattern.Regex: pattern: character 3: \")\" is missing"},
        {R"({"type":"Split","pattern":{"Regex":"\\b"},"behavior":"Isolated","invert":false})",
         ".pattern.Regex: pattern: character 3: \"\\b\" is not supported"},
        {R"({"type":"Split","pattern":{"String":""},"behavior":"Isolated","invert":false})",
         ".pattern.String: is empty"},
        {R"({"type":"Split","pattern":{"String":3},"behavior":"Isolated","invert":false})",
         ".pattern.String: is not a string"},
        {R"({"type":"Digits"})", ".individual_digits: is missing; it must be true or false"},
        {R"({"type":"Punctuation","behavior":"No"})", ".behavior: \"No\" is no behavior"},
        {R"({"type":"Punctuation"})", ""},
        {R"({"type":"Metaspace"})", ".replacement: is not a string"},
        {R"({"type":"Metaspace","replacement":"ab"})", ".replacement: \"ab\" is not one character"},
        {R"({"type":"Metaspace","replacement":"_","prepend_scheme":"last"})",
         ".prepend_scheme: \"last\" is none of always, first, never"},
        {R"({"type":"Metaspace","replacement":"_","prepend_scheme":1})",
         ".prepend_scheme: is not a string"},
        {R"({"type":"Metaspace","replacement":"_","split":0})",
         ".split: is neither true nor false"},
        {R"({"type":"Metaspace","replacement":"_","prepend_scheme":"first",)"
         R"("add_prefix_space":false})",
         ".prepend_scheme: \"first\" contradicts add_prefix_space false"},
        {R"({"type":"CharDelimiterSplit"})", ".delimiter: is not a string"},
        {R"({"type":"CharDelimiterSplit","delimiter":""})",
         ".delimiter: \"\" is not one character"},
        {R"({"type":"FixedLength","length":0})", ".length: 0 characters make no piece"},
        {R"({"type":"FixedLength","length":-1})", ".length: -1 is not in 0..2^32 - 1"},
        {R"({"type":"FixedLength","length":"2"})", ".length: is not an integer"},
        {R"({"type":"UnicodeScripts"})", ""},
        {R"({"type":"BertPreTokenizer"})", ""},
        {R"({"type":"WhitespaceSplit"})", ""},
        {R"({"type":"Whitespace"})", ""},
        {R"({"type":"Thai"})",
         ": \"Thai\" is not supported (Split, ByteLevel, Digits, Metaspace, Punctuation, "
         "Whitespace, WhitespaceSplit, BertPreTokenizer, CharDelimiterSplit, UnicodeScripts, "
         "FixedLength and Sequence are)"},
        {R"(null)", ": is not an object"},
    };
    for (const Case& one : cases) {
        CAPTURE(one.json);
        const std::string message = problem("pre_tokenizer", before_byte_level(one.json));
        const std::string place = "t.json: pre_tokenizer.pretokenizers[0]";
        CHECK_MESSAGE(message == (*one.expected == '\0' ? "" : place + one.expected), message);
    }
    check_all("pre_tokenizer",
              {{R"({"type":"ByteLevel","trim_offsets":true})",
                ".add_prefix_space: is missing; it must be true or false"},
               {R"({"type":"ByteLevel","add_prefix_space":true})",
                ".trim_offsets: is missing; it must be true or false"},
               {R"({"type":"ByteLevel","add_prefix_space":true,"trim_offsets":true,"use_regex":2})",
                ".use_regex: is neither true nor false"}});
}

TEST_CASE("load: post_processor, field by field") {
    check_all(
        "post_processor",
        {
            {R"({"type":"TemplateProcessing"})", ".single: is not an array"},
            {R"({"type":"TemplateProcessing","single":[]})",
             ".single: has no Sequence for the text"},
            {R"({"type":"TemplateProcessing","single":[{}]})",
             ".single[0]: is neither SpecialToken nor Sequence"},
            {R"({"type":"TemplateProcessing","single":[{"Sequence":{"id":"B"}}]})",
             ".single[0].Sequence.id: \"B\" is not A, the text"},
            {R"({"type":"TemplateProcessing","single":[{"Sequence":{"id":"A"}},)"
             R"({"Sequence":{"id":"A"}}]})",
             ".single[1].Sequence: the text occurs twice"},
            {R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x"}}],)"
             R"("special_tokens":{}})",
             ".single[0].SpecialToken: \"x\" is not in special_tokens"},
            {R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x"}}],)"
             R"("special_tokens":{"x":{"ids":[259]}}})",
             ".special_tokens.x.ids[0]: 259 is the id of no token"},
            {R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x"}}],)"
             R"("special_tokens":{"x":{"ids":[-1]}}})",
             ".special_tokens.x.ids[0]: -1 is no token id"},
            {R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x"}},)"
             R"({"Sequence":{"id":"A"}}],"special_tokens":{"x":{"ids":[258]}}})",
             ""},
            {R"({"type":"BertProcessing"})", ".cls: is not an array"},
            {R"({"type":"BertProcessing","cls":["a"],"sep":["b",1]})",
             ".cls: is not a pair of text and id"},
            {R"({"type":"RobertaProcessing","cls":["a",1],"sep":["b",9999]})",
             ".sep[1]: 9999 is the id of no token"},
            {R"({"type":"BertProcessing","cls":["a",1],"sep":["b",2]})", ""},
            {R"({"type":"Sequence","processors":[{"type":"BertProcessing","cls":["a",1],)"
             R"("sep":["b",2]},{"type":"BertProcessing","cls":["a",1],"sep":["b",2]}]})",
             ".processors[1]: \"BertProcessing\" is a second template"},
            {R"({"type":"Sequence"})", ".processors: is not an array"},
            {R"({"type":"Other"})",
             ": \"Other\" is not supported (TemplateProcessing, BertProcessing, RobertaProcessing, "
             "ByteLevel and Sequence are)"},
        });
}

TEST_CASE("load: decoder, field by field") {
    check_all(
        "decoder",
        {
            {R"("ByteLevel")", ": is not an object"},
            {R"({"type":"Sequence"})", ".decoders: is not an array"},
            {R"({"type":"Sequence","decoders":[]})", ""},
            {R"({"type":"Sequence","decoders":[{"type":"Fuse"},{"type":"Strip"}]})",
             ".decoders[1].content: is not a string"},
            {R"({"type":"Strip","content":"ab","start":0,"stop":0})",
             ".content: \"ab\" is not one character"},
            {R"({"type":"Strip","content":" ","stop":0})", ".start: is not an integer"},
            {R"({"type":"Strip","content":" ","start":0,"stop":-1})",
             ".stop: -1 is not in 0..2^32 - 1"},
            {R"({"type":"Replace","pattern":{"String":"a"}})", ".content: is not a string"},
            {R"({"type":"BPEDecoder"})", ".suffix: is not a string"},
            {R"({"type":"BPEDecoder","suffix":""})", ".suffix: is empty"},
            {R"({"type":"WordPiece","prefix":"##"})",
             ".cleanup: is missing; it must be true or false"},
            {R"({"type":"WordPiece","cleanup":true})", ".prefix: is not a string"},
            {R"({"type":"CTC","word_delimiter_token":"|","cleanup":true})",
             ".pad_token: is not a string"},
            {R"({"type":"CTC","pad_token":"p","word_delimiter_token":"","cleanup":true})",
             ".word_delimiter_token: is empty"},
            {R"({"type":"Metaspace","replacement":"xy"})",
             ".replacement: \"xy\" is not one character"},
            {R"({"type":"Custom"})",
             ": \"Custom\" is not supported (ByteLevel, Metaspace, ByteFallback, Fuse, Strip, "
             "Replace, BPEDecoder, WordPiece, CTC and Sequence are)"},
        });
}

TEST_CASE("load: rare bytes without a token are dropped with a warning, common ones are refused") {
    Json json = test::small_tokenizer();
    json["model"]["vocab"].erase("\u0103");  // byte 0x03
    json["added_tokens"][0]["id"] = 257;     // counted on from the size of the vocabulary
    json["model"]["vocab"]["abc"] = 3;
    TokenizerParts parts = parse_tokenizer_json(json.dump(), "t.json");
    REQUIRE(parts.warnings.size() == 1);
    CHECK(parts.warnings[0] ==
          "t.json: model: no token for the bytes 0x03: they are dropped from texts, as HF "
          "tokenizers does");
    CHECK_FALSE(Tokenizer(std::move(parts)).is_lossless());
}

TEST_CASE("load: source.json records the Unicode versions of steps that need them") {
    Json json = test::small_tokenizer();
    const Tokenizer plain(parse_tokenizer_json(json.dump(), "t.json"));
    CHECK(plain.source_text().find("unicode_of_steps") == std::string::npos);
    json["normalizer"] = {{"type", "NFC"}};
    const Tokenizer nfc(parse_tokenizer_json(json.dump(), "t.json"));
    CHECK(nfc.source_text().find("\"unicode_of_steps\": \"normalization 9.0, marks") !=
          std::string::npos);
}
