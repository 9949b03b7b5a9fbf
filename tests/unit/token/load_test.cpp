// SPDX-License-Identifier: BSD-3-Clause
// Broken tokenizer files: each is refused with its place, none crashes or is renumbered.
#include "lib/token/load.h"
#include "lib/token/encoder.h"

#include <doctest/doctest.h>

#include <functional>

#include "lib/base/error.h"
#include "lib/io/file.h"
#include "lib/io/json.h"
#include "tests/support/small_tokenizer.h"

using namespace longhaul;
using namespace longhaul::token;
using io::Json;
using longhaul::test::small_tokenizer;

namespace {

std::string problem(const std::string& text) {
    try {
        parse_tokenizer_json(text, "t.json");
        return "";
    } catch (const Error& error) {
        return error.describe();
    }
}

using Change = std::function<void(Json&)>;

std::string problem_after(const Change& change) {
    Json json = small_tokenizer();
    change(json);
    return problem(json.dump());
}

struct Broken {
    Change change;
    const char* expected;
};

void check_all(const std::vector<Broken>& cases) {
    for (const Broken& broken : cases) {
        const std::string message = problem_after(broken.change);
        CAPTURE(broken.expected);
        CHECK(message.starts_with("t.json: "));
        CHECK_MESSAGE(message.find(broken.expected) != std::string::npos, message);
    }
}

}  // namespace

TEST_CASE("load: the smallest tokenizer.json is fine") {
    CHECK(problem_after([](Json&) {}) == "");
    const Tokenizer tokenizer(parse_tokenizer_json(small_tokenizer().dump(), "t.json"));
    Encoder encoder(tokenizer, {});
    std::vector<uint32_t> ids;
    encoder.encode("abcab", ids);
    CHECK(ids == std::vector<uint32_t>{257, 256});
    CHECK(tokenizer.vocab_size() == 259);
}

TEST_CASE("load: wrong vocabularies and merges are refused with their place") {
    check_all({
        {[](Json& j) { j["model"]["vocab"]["ab"] = -1; },
         "model: token \"ab\": id -1 is not in 0.."},
        {[](Json& j) { j["model"]["vocab"]["ab"] = 1e30; }, "the id of \"ab\" is not an integer"},
        {[](Json& j) { j["model"]["vocab"]["ab"] = UINT64_MAX; }, "\"ab\": id 9223372036854775807"},
        {[](Json& j) { j["model"]["vocab"]["ab"] = 20000000; }, "\"ab\": id 20000000 is not in"},
        {[](Json& j) { j["model"]["vocab"]["ab"] = "256"; }, "the id of \"ab\" is not an integer"},
        {[](Json& j) { j["model"]["vocab"]["ab"] = Json::object(); }, "the id of \"ab\" is not"},
        {[](Json& j) { j["model"]["vocab"]["ab"] = 97; }, "both have id 97"},
        {[](Json& j) { j["model"]["vocab"].erase("a"); }, "\"a\" is not in the vocabulary"},
        {[](Json& j) { j["model"]["vocab"].erase("z"); },
         "no token for byte 0x7A (\"z\") and no unk_token"},
        {[](Json& j) { j["model"].erase("vocab"); }, "model.vocab: is missing or not an object"},
        {[](Json& j) { j["model"]["vocab"] = Json::array(); },
         "model.vocab: is missing or not an object"},
        {[](Json& j) { j["model"].erase("merges"); }, "model.merges: is missing or not an array"},
        {[](Json& j) { j["model"]["merges"] = "a b"; }, "model.merges: is missing or not an array"},
        {[](Json& j) { j["model"]["merges"][0] = "ab"; },
         "merges[0]: \"ab\" does not have exactly one space"},
        {[](Json& j) { j["model"]["merges"][0] = "a b c"; }, "merges[0]: \"a b c\" does not have"},
        {[](Json& j) { j["model"]["merges"][1] = Json::array({"ab"}); },
         "merges[1]: is not a pair"},
        {[](Json& j) {
             j["model"]["merges"][1] = Json::array({"ab", 1});
         },
         "merges[1]: is neither"},
        {[](Json& j) { j["model"]["merges"][1] = 7; }, "merges[1]: is neither"},
        {[](Json& j) { j["model"]["merges"][1] = Json::object(); }, "merges[1]: is neither"},
        {[](Json& j) { j["model"]["merges"][0] = "a q"; },
         "merges[0]: \"a q\": \"aq\" is not in the vocabulary"},
    });
    std::string twice = small_tokenizer().dump();
    twice.insert(twice.find("\"ab\":256"), "\"ab\":300,");
    CHECK(problem(twice) == "t.json: model: token \"ab\" is there twice");
}

TEST_CASE("load: what changes ids in ways that are not done is refused by name") {
    check_all({
        {[](Json& j) { j["version"] = "2.0"; }, "version: \"2.0\" is not 1.0"},
        {[](Json& j) { j["version"] = 1; }, "version: is not a string"},
        {[](Json& j) { j.erase("model"); }, "model: is not an object"},
    });
}

TEST_CASE("load: wrong added tokens are refused, never renumbered") {
    const auto token = [](Json& j) -> Json& { return j["added_tokens"][0]; };
    check_all({
        {[&](Json& j) { token(j)["id"] = 300; },
         "added_tokens[0]: \"<|end|>\" has id 300, but as a new token it gets 258"},
        {[&](Json& j) { token(j)["id"] = 97; }, "\"<|end|>\" has id 97"},
        {[&](Json& j) { token(j)["content"] = "ab"; },
         "\"ab\" has id 258, but as a token of model.vocab it gets 256"},
        {[&](Json& j) { token(j)["id"] = "258"; }, "added_tokens[0].id: is not an integer"},
        {[&](Json& j) { token(j).erase("content"); }, "added_tokens[0].content: is not a string"},
        {[&](Json& j) { token(j)["content"] = ""; }, "added_tokens[0]: an empty added token"},
        {[&](Json& j) { token(j).erase("id"); }, "added_tokens[0].id: is not an integer"},
        {[&](Json& j) { token(j).erase("lstrip"); },
         "added_tokens[0].lstrip: is missing; it must be true or false"},
        {[&](Json& j) { token(j).erase("rstrip"); }, "added_tokens[0].rstrip: is missing"},
        {[&](Json& j) { token(j).erase("single_word"); }, "added_tokens[0].single_word: is miss"},
        {[&](Json& j) { token(j).erase("normalized"); }, "added_tokens[0].normalized: is missing"},
        {[&](Json& j) { token(j)["special"] = "yes"; }, "added_tokens[0].special: is neither true"},
        {[&](Json& j) { j["added_tokens"][0] = "x"; }, "added_tokens[0]: is not an object"},
        {[&](Json& j) {
             j["normalizer"] = {{"type", "Lowercase"}};
             token(j)["normalized"] = true;
             Json other = token(j);
             other["id"] = 259;
             other["content"] = "<|END|>";
             j["added_tokens"].push_back(other);
         },
         "added_tokens: \"<|END|>\" is, normalised, the same as another added token"},
        {[&](Json& j) { token(j)["lstrip"] = 1; },
         "added_tokens[0].lstrip: is neither true nor false"},
        {[&](Json& j) { j["added_tokens"].push_back(token(j)); },
         "added_tokens[1]: \"<|end|>\" is added twice"},
        {[&](Json& j) { j["added_tokens"] = 1; }, "added_tokens: is not an array"},
    });
    // A hole in model.vocab: the added token's id, by count, is that of a token that is there.
    const std::string clash = problem_after([](Json& j) {
        j["model"]["vocab"]["abc"] = 300;
        j["added_tokens"][0]["id"] = 258;
        j["model"]["vocab"]["q\xC4\xA0"] = 259;
        j["added_tokens"][0]["id"] = 259;
    });
    CHECK(clash.find("both have id 259") != std::string::npos);
}

TEST_CASE("load: text that is no JSON is refused") {
    for (const char* text :
         {"", "{", "[]", "null", "{\"model\":", "{\"model\":{\"vocab\":{\"a\":1,}}}", "\xFF"}) {
        CAPTURE(text);
        CHECK_FALSE(problem(text).empty());
    }
    CHECK_FALSE(problem(std::string(100000, '[')).empty());
}

TEST_CASE("load: rank files name the line") {
    const auto message = [](const std::string& text, const std::string& pattern) {
        try {
            parse_ranks(text, "r", pattern);
            return std::string();
        } catch (const Error& error) {
            return error.describe();
        }
    };
    const std::string good = io::read_text_file(LH_TEST_DATA "/token/ranks.tiktoken");
    CHECK(message(good, "gpt2").empty());
    CHECK(message(good, "").find("--pattern") != std::string::npos);
    CHECK(message("", "gpt2") == "r: is empty");
    CHECK(message("IQ== 0\nIg== x\n", "gpt2") == "r:2: \"x\" is no rank in 0..16777215");
    CHECK(message("IQ== 0\nIg== 0\n", "gpt2") == "r:2: rank 0 is used twice");
    CHECK(message("IQ== 0\nIQ== 1\n", "gpt2") == "r:2: the token is already there with rank 0");
    CHECK(message("IQ== 99999999\n", "gpt2").find("is no rank") != std::string::npos);
    for (const char* line : {"IQ", "IQ==", "I*== 1", " 1", "\x01\x02", "IQ==1"}) {
        CHECK(message(line, "gpt2") == "r:1: not \"BASE64 RANK\"; not a tiktoken rank file?");
    }
}

TEST_CASE("load: vocab.json and merges.txt name the line") {
    const std::string vocab = small_tokenizer()["model"]["vocab"].dump();
    const auto message = [&](const std::string& merges) {
        try {
            parse_vocab_merges(vocab, merges, "v", "m", "gpt2");
            return std::string();
        } catch (const Error& error) {
            return error.describe();
        }
    };
    CHECK(message("#version: 0.2\na b\r\nab c\n\n").empty());
    CHECK(message("a b\nab\n") == "m:2: \"ab\" does not have exactly one space");
    CHECK(message("a b\na  b\n") == "m:2: \"a  b\" does not have exactly one space");
    CHECK(message("a b\na q\n").find("m:2: v: merge of line 2: \"a q\": \"aq\" is not") == 0);
    CHECK_THROWS_AS(parse_vocab_merges("[1]", "", "v", "m", "gpt2"), DataError);
    CHECK_THROWS_AS(parse_vocab_merges(vocab, "", "v", "m", ""), UsageError);
}
