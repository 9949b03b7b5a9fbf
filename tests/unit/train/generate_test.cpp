// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/generate.h"

#include <doctest/doctest.h>

#include <map>

#include "tests/unit/model/test_model.h"

namespace longhaul::train {
namespace {

const std::vector<double> kLogits = {1.0, 3.0, 2.0, 3.0, -1.0};

/// How often each token is drawn over 20,000 positions.
std::map<int32_t, double> frequencies(const SamplingOptions& options) {
    std::map<int32_t, double> counts;
    const int draws = 20000;
    for (int i = 0; i < draws; ++i) counts[sample_token(kLogits, options, i)] += 1.0 / draws;
    return counts;
}

TEST_CASE("generate: greedy takes the likeliest token, the lowest id among equals") {
    SamplingOptions options;
    options.temperature = 0;
    CHECK(sample_token(kLogits, options, 0) == 1);
    options.temperature = 1;
    options.top_k = 1;
    CHECK(sample_token(kLogits, options, 0) == 1);
}

TEST_CASE("generate: samples follow the softmax at the temperature") {
    for (const double temperature : {0.5, 1.0, 2.0}) {
        SamplingOptions options;
        options.temperature = temperature;
        double total = 0;
        for (const double logit : kLogits) total += std::exp(logit / temperature);
        const std::map<int32_t, double> counts = frequencies(options);
        for (size_t i = 0; i < kLogits.size(); ++i) {
            const double expected = std::exp(kLogits[i] / temperature) / total;
            const auto found = counts.find(static_cast<int32_t>(i));
            const double actual = found == counts.end() ? 0 : found->second;
            // Five standard deviations of a frequency over 20,000 draws.
            CHECK(std::abs(actual - expected) < 5 * std::sqrt(expected * (1 - expected) / 20000));
        }
    }
}

TEST_CASE("generate: top-k and top-p cut the tail") {
    SamplingOptions options;
    options.top_k = 3;
    std::map<int32_t, double> counts = frequencies(options);
    CHECK(counts.size() == 3);
    CHECK(counts.contains(2));
    options.top_k = 0;
    options.top_p = 0.5;  // the first of the two likeliest has 0.40, both 0.80
    counts = frequencies(options);
    CHECK(counts.size() == 2);
    CHECK(counts[1] == doctest::Approx(0.5).epsilon(0.05));
    options.top_p = 1e-9;
    CHECK(frequencies(options).size() == 1);
}

TEST_CASE("generate: the draw depends on seed and position only") {
    SamplingOptions options;
    int differ = 0;
    for (int64_t position = 0; position < 100; ++position) {
        options.seed = 1;
        const int32_t token = sample_token(kLogits, options, position);
        CHECK(sample_token(kLogits, options, position) == token);
        options.seed = 2;
        differ += sample_token(kLogits, options, position) != token;
    }
    CHECK(differ > 30);
}

TEST_CASE("generate: options out of range and broken logits are refused") {
    SamplingOptions options;
    options.temperature = -1;
    CHECK_THROWS_WITH_AS(check_sampling(options), doctest::Contains("temperature -1"), UsageError);
    options = {};
    options.top_p = 0;
    CHECK_THROWS_WITH_AS(check_sampling(options), doctest::Contains("top-p 0"), UsageError);
    options = {};
    options.top_k = -2;
    CHECK_THROWS_WITH_AS(check_sampling(options), doctest::Contains("top-k -2"), UsageError);
    const std::vector<double> broken = {1, std::nan(""), 2};
    CHECK_THROWS_WITH_AS(sample_token(broken, {}, 0), doctest::Contains("logit of token 1"), Error);
}

test::TestModel tiny_model() {
    model::ModelConfig config;
    config.num_layers = 1;
    config.hidden = 8;
    config.num_heads = 2;
    config.vocab_size = 11;
    config.max_seq_len = 12;
    model::TransformerOptions options;
    options.seq_len = 4;
    options.training = false;
    options.cache_len = 12;
    test::TestModel model(config, options);
    model.randomise();
    return model;
}

TEST_CASE("generate: stops at the count, the stop token, the context and the caller's word") {
    test::TestModel model = tiny_model();
    const std::vector<int32_t> prompt = {1, 2, 3, 4, 5};
    GenerateOptions options;
    options.max_tokens = 3;
    const GenerateResult first = generate(*model, prompt, options);
    CHECK(first.tokens.size() == 3);
    CHECK(first.reason == StopReason::kMaxTokens);
    CHECK(generate(*model, prompt, options).tokens == first.tokens);

    options.max_tokens = 100;
    const GenerateResult full = generate(*model, prompt, options);
    CHECK(full.reason == StopReason::kContextFull);
    CHECK(full.tokens.size() == 8);  // 12 positions, and the token that follows the last

    options.stop_token = first.tokens[2];
    const GenerateResult stopped = generate(*model, prompt, options);
    CHECK(stopped.reason == StopReason::kStopToken);
    CHECK(stopped.tokens.size() <= 2);

    options.stop_token = -1;
    int calls = 0;
    const GenerateResult told =
        generate(*model, prompt, options, [&](int32_t) { return ++calls < 2; });
    CHECK(told.reason == StopReason::kCaller);
    CHECK(told.tokens.size() == 2);
    CHECK_THROWS_AS(generate(*model, {}, options), UsageError);
}

}  // namespace
}  // namespace longhaul::train
