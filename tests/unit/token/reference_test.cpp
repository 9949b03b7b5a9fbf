// SPDX-License-Identifier: BSD-3-Clause
// Ids equal to those of HF tokenizers and tiktoken (tests/data/token/make_reference.py).
#include <doctest/doctest.h>

#include <sstream>

#include "lib/base/error.h"
#include "lib/io/stream.h"
#include "lib/token/encoder.h"
#include "lib/token/load.h"
#include "tests/unit/token/test_files.h"

using namespace longhaul;
using namespace longhaul::token;

namespace {

const std::string kData = LH_TEST_DATA "/token/";

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
    return parts;
}

/// Encodes all documents and compares each with its line of ids.
void check_reference(const Tokenizer& tokenizer, const std::string& expected,
                     const EncodeOptions& options) {
    CAPTURE(expected);
    const auto documents = split(test::read_all(kData + "documents.zst"), '\0');
    const auto lines = split(test::read_all(kData + expected), '\n');
    REQUIRE(documents.size() == 260);
    REQUIRE(lines.size() == documents.size());
    Encoder encoder(tokenizer, options);
    std::vector<uint32_t> ids;
    for (size_t i = 0; i < documents.size(); ++i) {
        ids.clear();
        REQUIRE(encoder.encode(documents[i], ids) == nullptr);
        std::string line;
        for (const uint32_t id : ids) line += (line.empty() ? "" : " ") + std::to_string(id);
        CAPTURE(i);
        CAPTURE(documents[i]);
        REQUIRE(line == lines[i]);
    }
}

void check_all_modes(const Tokenizer& tokenizer, const std::string& name) {
    for (const bool fast : {true, false}) {
        check_reference(tokenizer, name + ".plain.zst", {SpecialText::kPlain, 1 << 20, fast});
        check_reference(tokenizer, name + ".parse.zst", {SpecialText::kParse, 1 << 20, fast});
    }
    // A cache too small for anything is wiped all the time and changes nothing.
    check_reference(tokenizer, name + ".plain.zst", {SpecialText::kPlain, 0, true});
}

}  // namespace

TEST_CASE("token: ids equal HF tokenizers for each kind of tokenizer.json") {
    for (const char* name : {"gpt2", "llama3", "qwen2", "o200k", "prefix", "general"}) {
        CAPTURE(name);
        const Tokenizer tokenizer = load_tokenizer({kData + "hf_" + name + ".json", "", {}});
        check_all_modes(tokenizer, std::string("hf_") + name);
    }
}

TEST_CASE("token: ids equal tiktoken for each pattern") {
    for (const char* pattern : {"gpt2", "cl100k", "o200k", "llama3", "qwen2"}) {
        CAPTURE(pattern);
        const Tokenizer tokenizer = load_tokenizer(
            {kData + "ranks.tiktoken", pattern, {"<|endoftext|>=899", "<|im_start|>=904"}});
        check_all_modes(tokenizer, std::string("tiktoken_") + pattern);
    }
}

TEST_CASE("token: decoding gives the text back, byte for byte") {
    const Tokenizer tokenizer = load_tokenizer({kData + "hf_gpt2.json", "", {}});
    Encoder encoder(tokenizer, {});
    for (const std::string& document : split(test::read_all(kData + "documents.zst"), '\0')) {
        std::vector<uint32_t> ids;
        encoder.encode(document, ids);
        CHECK(tokenizer.decode(ids, false) == document);
    }
}

TEST_CASE("token: templates, end-of-document tokens and refused special text") {
    const Tokenizer llama3 = load_tokenizer({kData + "hf_llama3.json", "", {}});
    CHECK(llama3.default_bos() == std::vector{*llama3.find_token("<|im_start|>")});
    CHECK(llama3.default_eos() == std::vector{*llama3.find_token("<|endoftext|>")});
    CHECK(llama3.is_special(llama3.default_eos().front()));
    Encoder encoder(llama3, {SpecialText::kRefuse});
    std::vector<uint32_t> ids;
    const AddedToken* found = encoder.encode("text with <|im_start|> inside", ids);
    REQUIRE(found != nullptr);
    CHECK(found->content == "<|im_start|>");
    CHECK(ids.empty());
    CHECK(encoder.encode("plain text", ids) == nullptr);
    CHECK_FALSE(ids.empty());
}

TEST_CASE("token: a saved tokenizer folder loads as the same tokenizer") {
    const std::string folder = "token_saved_test";
    const Tokenizer ranks =
        load_tokenizer({kData + "ranks.tiktoken", "cl100k", {"<|endoftext|>=899"}});
    ranks.save(folder);
    const Tokenizer again = load_tokenizer({folder, "", {}});
    CHECK(again.hash() == ranks.hash());
    CHECK(again.vocab_size() == 900);
    CHECK(again.default_eos() == std::vector<uint32_t>{899});
    CHECK_THROWS_AS(load_tokenizer({folder, "gpt2", {}}), UsageError);
    std::filesystem::remove_all(folder);
}
