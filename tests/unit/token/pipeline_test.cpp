// SPDX-License-Identifier: BSD-3-Clause
// Every component around the model, and whole tokenizers, against what the real library made
// (tests/data/token/make_pipeline.py).
#include <doctest/doctest.h>

#include <sstream>

#include "lib/io/stream.h"
#include "lib/token/decode_stream.h"
#include "lib/token/encoder.h"
#include "lib/token/load.h"
#include "lib/token/tokenizer_json_parts.h"
#include "tests/unit/token/test_files.h"

using namespace longhaul;
using namespace longhaul::token;
using io::Json;

namespace {

/// Says nothing when all is well: a CHECK for each of many thousand cases would take long.
class Counter {
 public:
    explicit Counter(const Json& spec) : spec_(spec) {}
    void check(const char* what, const Json& text, const Json& got, const Json& expected) {
        if (got == expected || num_wrong_++ > 2) return;
        MESSAGE(std::string(what), " of ", spec_.dump().substr(0, 400), " for ", text.dump(),
                "\n  is       ", got.dump(), "\n  expected ", expected.dump());
    }
    uint64_t num_wrong() const { return num_wrong_; }

 private:
    const Json& spec_;
    uint64_t num_wrong_ = 0;
};

void check_normalizer(const Json& spec, const Json& cases, Counter& counter) {
    Normalizer normalizer;
    read_normalizer(JsonField(&spec, "normalizer"), normalizer);
    for (const Json& one : cases) {
        const auto text = one[0].get<std::string>();
        const std::string normal = normalizer.apply(text);
        counter.check("text", one[0], normal, one[1]);
        if (normalizer.surely_keeps(text)) counter.check("quick answer", one[0], text, one[1]);
    }
}

void check_pre_tokenizer(const Json& spec, const Json& cases, Counter& counter) {
    PreTokenizer steps;
    read_pre_tokenizer(JsonField(&spec, "pre_tokenizer"), steps);
    for (const Json& one : cases) {
        const auto text = one[0].get<std::string>();
        for (const bool use_scanners : {true, false}) {
            Pieces pieces;
            steps.split(text, pieces, use_scanners);
            Json got = Json::array();
            for (const std::string_view piece : pieces.views) got.push_back(std::string(piece));
            counter.check(use_scanners ? "pieces" : "pieces without scanners", one[0], got, one[1]);
        }
    }
}

void check_decoder(const Json& spec, const Json& cases, Counter& counter) {
    Decoder decoder;
    read_decoder(JsonField(&spec, "decoder"), decoder);
    for (const Json& one : cases) {
        counter.check("text", one[0], decoder.decode(one[0].get<std::vector<std::string>>()),
                      one[1]);
    }
}

void check_tokenizer(const Json& spec, const Json& cases, Counter& counter) {
    const Tokenizer tokenizer(parse_tokenizer_json(spec.dump(), "tokenizer.json"));
    for (const bool is_fast : {true, false}) {
        Encoder parse(tokenizer, {SpecialText::kParse, 1 << 16, is_fast});
        Encoder plain(tokenizer, {SpecialText::kPlain, 1 << 16, is_fast});
        for (const Json& one : cases) {
            const auto text = one[0].get<std::string>();
            std::vector<uint32_t> parsed, as_text;
            parse.encode(text, parsed);
            counter.check("parsed ids", one[0], parsed, one[1]);
            plain.encode(text, as_text);
            counter.check("plain ids", one[0], as_text, one[2]);
            std::vector<uint32_t> full = tokenizer.parts().prefix;
            full.insert(full.end(), parsed.begin(), parsed.end());
            full.insert(full.end(), tokenizer.parts().suffix.begin(),
                        tokenizer.parts().suffix.end());
            counter.check("ids with template", one[0], full, one[3]);
            counter.check("decoded", one[0], tokenizer.decode(full, false), one[4]);
            DecodeStream stream(tokenizer, false);
            std::string streamed;
            for (const uint32_t id : full) streamed += stream.add(id);
            counter.check("streamed", one[0], streamed + stream.finish(), one[4]);
            counter.check("decoded without specials", one[0], tokenizer.decode(full, true), one[5]);
            if (tokenizer.is_lossless()) {
                counter.check("text", one[0], tokenizer.decode(parsed, false), one[0]);
            }
        }
    }
}

}  // namespace

TEST_CASE("token: each component and whole tokenizers equal HF tokenizers") {
    std::istringstream lines(test::read_all(LH_TEST_DATA "/token/pipeline.jsonl.zst"));
    size_t num_specs = 0;
    for (std::string line; std::getline(lines, line); ++num_specs) {
        const Json record = Json::parse(line);
        const auto part = record["part"].get<std::string>();
        Counter counter(record["json"]);
        const auto check = part == "normalizer"      ? check_normalizer
                           : part == "pre_tokenizer" ? check_pre_tokenizer
                           : part == "decoder"       ? check_decoder
                                                     : check_tokenizer;
        check(record["json"], record["cases"], counter);
        CAPTURE(line.substr(0, 300));
        CHECK(counter.num_wrong() == 0);
    }
    CHECK(num_specs > 100);
}
