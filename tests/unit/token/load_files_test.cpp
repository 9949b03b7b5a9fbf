// SPDX-License-Identifier: BSD-3-Clause
// Files that are no tokenizer at all, or broken as a whole: what they are is told. Broken fields:
// load_faults_test.cpp.
#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/io/atomic_file.h"
#include "lib/io/file.h"
#include "lib/token/encoder.h"
#include "lib/token/load.h"
#include "tests/support/small_tokenizer.h"
#include "tests/support/temp_dir.h"

using namespace longhaul;
using namespace longhaul::token;
using namespace std::string_literals;
using io::Json;

namespace {

/// The complaint about a file of this content and name, from its name on; "" when there is none.
std::string problem(const std::string& content, const std::string& name = "t.json",
                    const std::string& pattern = "") {
    const test::TempDir folder;
    io::write_file_atomically(folder.path() / name, content);
    try {
        load_tokenizer({(folder.path() / name).string(), pattern, {}});
        return "";
    } catch (const Error& error) {
        const std::string message = error.describe();
        const size_t at = message.find(name);
        CHECK_MESSAGE(at != std::string::npos, message);
        return message.substr(at == std::string::npos ? 0 : at);
    }
}

std::string utf16(const std::string& ascii, bool is_big) {
    std::string out;
    for (const char c : ascii) out += is_big ? std::string{'\0', c} : std::string{c, '\0'};
    return out;
}

struct Row {
    std::string content;
    const char* expected;
};

}  // namespace

TEST_CASE("load: a file that is something else is told what it is") {
    const std::string good = test::small_tokenizer().dump();
    const Row rows[] = {
        {"", "t.json: is empty"},
        {" \n\n", "t.json: has nothing but white space"},
        {"\xEF\xBB\xBF" + good,
         "t.json: begins with a byte order mark: save it as UTF-8 without one"},
        {"\xFF\xFE" + utf16(good, false), "t.json: is in UTF-16: save it as UTF-8"},
        {"\xFE\xFF" + utf16(good, true), "t.json: is in UTF-16: save it as UTF-8"},
        {utf16(good, false), "t.json: is in UTF-16: save it as UTF-8"},
        {utf16(good, true), "t.json: is in UTF-16: save it as UTF-8"},
        {"\xFF\xFE\0\0{\0\0\0"s, "t.json: is in UTF-32: save it as UTF-8"},
        {"[" + good + "]", "t.json: is a JSON array; a tokenizer.json is an object, {...}"},
        {"  \"" + good, "t.json: is a JSON string; a tokenizer.json is an object, {...}"},
        {"\x1F\x8B\x08\0abc"s, "t.json: is compressed (gzip): unpack it first"},
        {"\x28\xB5\x2F\xFD abc"s, "t.json: is compressed (zstd): unpack it first"},
        {"\xFD"
         "7zXZ\0abc"s,
         "t.json: is compressed (xz): unpack it first"},
        {"PK\x03\x04 abc"s,
         "t.json: is a zip archive (also of PyTorch): the tokenizer is a file of its own"},
        {"GGUF\3\0\0\0"s,
         "t.json: is a GGUF model: give the tokenizer.json or tokenizer.model it was made from"},
        {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
         "t.json: is a pointer of Git LFS, not the file: run \"git lfs pull\" where it comes from"},
        {"\n<!DOCTYPE html><html>",
         "t.json: is a web page or XML, not the file itself: download that"}};
    for (const Row& row : rows) {
        CAPTURE(row.content);
        CHECK(problem(row.content) == row.expected);
        // Whatever the name, and whatever kind of file it would be.
        CHECK(problem(row.content, "t.json", "gpt2") == row.expected);
    }
    CHECK(problem(good) == "");
    CHECK(problem("nonsense\n")
              .ends_with("t.json:1: not \"BASE64 RANK\"; not a tiktoken rank file?"));
}

TEST_CASE("load: a tokenizer.json cut off anywhere is refused") {
    const std::string good = test::small_tokenizer().dump();
    for (size_t size = 1; size < good.size();
         size += size < 200 || size + 400 > good.size() ? 1 : 41) {
        CAPTURE(size);
        std::string message;
        try {
            parse_tokenizer_json(good.substr(0, size), "t.json");
        } catch (const Error& error) {
            message = error.describe();
        }
        CHECK(message.starts_with("t.json: "));
    }
}

TEST_CASE("load: a key that is there twice is refused, wherever it is") {
    // HF tokenizers takes the last one without a word, for most keys.
    const std::string good = test::small_tokenizer().dump();
    const auto with = [&](const std::string& before, const std::string& added) {
        std::string text = good;
        const size_t at = text.find(before);
        REQUIRE(at != std::string::npos);
        return text.insert(at, added);
    };
    const std::pair<std::string, const char*> rows[] = {
        {with("\"version\"", "\"version\":\"1.0\","), "t.json: version: is there twice"},
        {with("\"version\"", "\"model\":{},"), "t.json: model: is there twice"},
        {with("\"version\"", "\"decoder\":null,"), "t.json: decoder: is there twice"},
        {with("\"version\"", "\"normalizer\":null,"), "t.json: normalizer: is there twice"},
        {with("\"version\"", "\"pre_tokenizer\":null,"), "t.json: pre_tokenizer: is there twice"},
        {with("\"version\"", "\"post_processor\":null,"), "t.json: post_processor: is there twice"},
        {with("\"version\"", "\"added_tokens\":[],"), "t.json: added_tokens: is there twice"},
        {with("\"version\"", "\"truncation\":null,"), "t.json: truncation: is there twice"},
        {with("\"vocab\"", "\"vocab\":{\"a\":0},"), "t.json: model.vocab: is there twice"},
        {with("\"vocab\"", "\"merges\":[],"), "t.json: model.merges: is there twice"},
        {with("\"vocab\"", "\"type\":\"BPE\","), "t.json: model.type: is there twice"},
        {with("\"lstrip\"", "\"special\":true,"), "t.json: added_tokens.special: is there twice"},
        {with("\"use_regex\"", "\"type\":\"Digits\","),
         "t.json: pre_tokenizer.type: is there twice"},
        {with("\"ab\":256", "\"ab\":300,"), "t.json: model: token \"ab\" is there twice"}};
    for (const auto& [text, expected] : rows) {
        CAPTURE(expected);
        CHECK(problem(text) == expected);
    }
    const std::string twice = with("\"id\":258",
                                   "\"id\":258,\"content\":\"x\",\"single_word\":false,"
                                   "\"lstrip\":false,\"rstrip\":false,\"normalized\":false,"
                                   "\"special\":true},{");
    CHECK(problem(twice).find("twice") == std::string::npos);  // the same keys of two tokens
    CHECK(problem(with("\"version\"", "\"normaliser\":null,")) ==
          "t.json: \"normaliser\" is no section of a tokenizer.json");
}

TEST_CASE("load: nested without end, numbers without end, and half a character") {
    const std::string good = test::small_tokenizer().dump();
    const auto with = [&](const std::string& value) {
        std::string text = good;
        return text.replace(text.find("\"truncation\":null"), 17, "\"truncation\":" + value);
    };
    const size_t depth = 100000;
    std::string objects, pairs;  // the latter with a second member, for which objects grow
    for (size_t i = 0; i < depth; ++i) {
        objects += "{\"a\":";
        pairs += "{\"b\":0,\"a\":";
    }
    const std::string ends(depth, '}');
    for (const std::string& deep :
         {std::string(depth, '[') + std::string(depth, ']'), objects + "1" + ends,
          pairs + "1" + ends, std::string(depth, '['), objects}) {
        CHECK(problem(with(deep)) == "t.json: nested more than 128 deep");
    }
    CHECK_THROWS_AS(io::parse_json(pairs + "1" + ends, "j"), DataError);
    CHECK(io::parse_json(R"({"a":["[[[",{"b":"\\\"}}]"}]})", "j").is_object());
    const std::string few(100, '[');
    CHECK(problem(with(few + std::string(100, ']'))) ==
          "t.json: truncation: is neither null nor an object");
    CHECK(problem(with("1e999")).starts_with("t.json: not JSON: number overflow"));
    CHECK(problem(with(std::string(depth, '9'))).starts_with("t.json: "));
    for (const char* half :
         {R"("\ud83d")", R"("\ude00")", R"("\ud83dx")", "\"\xF0\x9F\"", "\"\xED\xA0\xBD\""}) {
        CAPTURE(half);
        CHECK(problem(with(half)).starts_with("t.json: not JSON: "));
    }
    CHECK(problem(good + "x").starts_with("t.json: not JSON: "));
    CHECK(problem(good + good).starts_with("t.json: not JSON: "));
}

TEST_CASE("load: no merges at all are a tokenizer of bytes") {
    Json json = test::small_tokenizer();
    json["model"]["merges"] = Json::array();
    const Tokenizer tokenizer(parse_tokenizer_json(json.dump(), "t.json"));
    Encoder encoder(tokenizer, {});
    std::vector<uint32_t> ids;
    encoder.encode("abc", ids);
    CHECK(ids.size() == 3);
}

TEST_CASE("load: folders without a tokenizer, and files that are not there") {
    const test::TempDir folder;
    const auto message = [](const std::string& path) {
        try {
            load_tokenizer({path, "", {}});
            return std::string();
        } catch (const Error& error) {
            return error.describe();
        }
    };
    const std::string path = folder.path().string();
    CHECK(message(path) ==
          path + ": a folder without tokenizer.json, tokenizer.model, source.json or vocab.json");
    CHECK(message(path + "/none.json").find("none.json") != std::string::npos);
    io::write_file_atomically(folder.path() / "vocab.json", "{\"a\":0}");
    CHECK(message(path).find("merges.txt") != std::string::npos);
}

TEST_CASE("load: broken rank files, row by row") {
    const std::string good = io::read_text_file(LH_TEST_DATA "/token/ranks.tiktoken");
    std::string crlf;
    for (const char c : good) crlf += c == '\n' ? "\r\n"s : std::string{c};
    CHECK(problem(good, "ranks.txt", "gpt2") == "");
    CHECK(problem(crlf, "ranks.txt", "gpt2") == "");
    CHECK(problem(good + "\n\n", "ranks.txt", "gpt2") == "");
    const size_t line = good.find('\n') + 1;
    const Row rows[] = {
        {"\xEF\xBB\xBF" + good,
         "ranks.txt: begins with a byte order mark: save it as UTF-8 without one"},
        {good.substr(line), "ranks.txt: no token for byte 0x"},
        {good.substr(0, line), "ranks.txt: no token for byte 0x"},
        {good.substr(0, line - 2), "ranks.txt:1: "},
        {good + good.substr(0, line), "ranks.txt:"},
        {"IQ== 0 0\n", "ranks.txt:1: \"0 0\" is no rank in 0..16777215"},
        {"IQ== \n", "ranks.txt:1: \"\" is no rank in 0..16777215"},
        {"IQ== -1\n", "ranks.txt:1: \"-1\" is no rank in 0..16777215"},
        {"IQ== +1\n", "ranks.txt:1: \"+1\" is no rank in 0..16777215"},
        {"IQ== 1.0\n", "ranks.txt:1: \"1.0\" is no rank in 0..16777215"},
        {"IQ== 16777216\n", "ranks.txt:1: \"16777216\" is no rank in 0..16777215"},
        {"IQ== 99999999999999999999\n", "ranks.txt:1: \"99999999999999999999\" is no rank in"},
        {"IQ==\t0\n", "ranks.txt:1: not \"BASE64 RANK\""},
        {"IQ= 0\n", "ranks.txt:1: not \"BASE64 RANK\""},
        {"IQ=== 0\n", "ranks.txt:1: not \"BASE64 RANK\""},
        {"I=Q= 0\n", "ranks.txt:1: not \"BASE64 RANK\""},
        {"I-_Q 0\n", "ranks.txt:1: not \"BASE64 RANK\""},
        {"==== 0\n", "ranks.txt:1: not \"BASE64 RANK\""}};
    for (const Row& row : rows) {
        CAPTURE(row.content.substr(0, 40));
        const std::string message = problem(row.content, "ranks.txt", "gpt2");
        CHECK_MESSAGE(message.starts_with(row.expected), message);
    }
}

TEST_CASE("load: broken vocab.json and merges.txt, row by row") {
    const std::string vocab = test::small_tokenizer()["model"]["vocab"].dump();
    const auto message = [&](const std::string& words, const std::string& merges) {
        try {
            parse_vocab_merges(words, merges, "v", "m", "gpt2");
            return std::string();
        } catch (const Error& error) {
            return error.describe();
        }
    };
    CHECK(message(vocab, "") == "");
    CHECK(message("", "") == "v: is empty");
    CHECK(message("[]", "") == "v: is a JSON array; a tokenizer.json is an object, {...}");
    CHECK(message("7", "") == "v: is not a JSON object");
    CHECK(message(R"({"a":{}})", "") == "v: vocabulary: the id of \"a\" is not an integer");
    CHECK(message(R"({"a":1.5})", "") == "v: vocabulary: the id of \"a\" is not an integer");
    CHECK(message(R"({"a":-1})", "") == "v: token \"a\": id -1 is not in 0..16777215");
    CHECK(message(R"({"a":0,"a":1})", "") == "v: token \"a\" is there twice");
    CHECK(message(R"({"a":0,"b":0})", "") == "v: tokens \"a\" and \"b\" both have id 0");
    CHECK(message(vocab, "\x1F\x8B\x08") == "m: is compressed (gzip): unpack it first");
    CHECK(message(vocab,
                  "\xEF\xBB\xBF"
                  "a b\n") == "m: begins with a byte order mark: save it as UTF-8 without one");
    CHECK(message(vocab, "a b\nab\n") == "m:2: \"ab\" does not have exactly one space");
    CHECK(message(vocab, "[ <\n").starts_with("m:1: v: merge of line 1: \"[ <\": \"[<\" is not"));
}
