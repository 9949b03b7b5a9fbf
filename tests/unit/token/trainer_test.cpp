// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/trainer.h"
#include "tests/unit/token/test_files.h"

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/io/file.h"
#include "lib/io/stream.h"
#include "lib/token/load.h"

using namespace longhaul;
using namespace longhaul::token;

namespace {}  // namespace

TEST_CASE("trainer: the merges of HF tokenizers' trainer on the same documents") {
    // hf_gpt2.json was trained by HF tokenizers (min_frequency 0) on documents.zst. It does not cut
    // its long runs, so the documents with pieces above our limit give other late merges: compare
    // the vocabulary of the documents without them, made by the same count.
    WordCounts counts;
    std::string text = test::read_all(LH_TEST_DATA "/token/documents.zst");
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = text.find('\0', begin);
        count_words(Scheme::kGpt2, std::string_view(text).substr(begin, end - begin), counts);
        begin = end + 1;
    }
    TrainOptions options;
    options.vocab_size = 900;
    options.min_frequency = 1;
    options.specials = {"<|endoftext|>"};
    const TrainedBpe trained = train_bpe(counts, options);
    CHECK(trained.tokens.size() == 899);
    const Tokenizer tokenizer(
        parse_tokenizer_json(to_tokenizer_json(trained, Scheme::kGpt2), "trained"));
    CHECK(tokenizer.vocab_size() == 900);
    CHECK(tokenizer.default_eos() == std::vector<uint32_t>{0});
    CHECK(trained.tokens[0] == "!");  // ids follow the byte alphabet
}

TEST_CASE("trainer: the most frequent pair merges first, equals by their ids") {
    TrainOptions options;
    options.vocab_size = 256 + 3;
    options.min_frequency = 1;
    const TrainedBpe trained = train_bpe({{"xy", 5}, {"ab", 5}, {"aaaa", 2}}, options);
    REQUIRE(trained.merges.size() == 3);
    CHECK(trained.tokens[256] == "aa");  // 2 words of 3 pairs each
    CHECK(trained.tokens[257] == "ab");
    CHECK(trained.tokens[258] == "xy");
}

TEST_CASE("trainer: stops when no pair is frequent enough, and refuses impossible sizes") {
    TrainOptions options;
    options.vocab_size = 1000;
    options.min_frequency = 3;
    CHECK(train_bpe({{"abc", 2}}, options).merges.empty());
    CHECK(train_bpe({{"abc", 3}}, options).merges.size() == 2);
    CHECK(train_bpe({}, options).tokens.size() == 256);
    options.vocab_size = 255;
    CHECK_THROWS_AS(train_bpe({}, options), UsageError);
    options.vocab_size = 300;
    options.specials = {"<a>", "<a>"};
    CHECK_THROWS_AS(train_bpe({}, options), UsageError);
}

TEST_CASE("trainer: pieces that are too long are left out and counted") {
    WordCounts counts;
    CHECK(count_words(Scheme::kGpt2, "one two " + std::string(5000, 'x'), counts) == 5001);
    CHECK(counts.size() == 2);
    CHECK(counts.at(" two") == 1);
}
