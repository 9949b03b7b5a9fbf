// SPDX-License-Identifier: BSD-3-Clause
#include "lib/model/transformer.h"

#include <doctest/doctest.h>
#include <omp.h>

#include "tests/support/documents.h"
#include "tests/unit/model/test_model.h"

namespace longhaul::model {
namespace {

using tensor::DType;
using test::TestModel;
using test::TypedValues;

constexpr int64_t kBatch = 2, kLength = 5;

ModelConfig tiny(Family family, bool grouped = true) {
    ModelConfig config;
    config.family = family;
    config.num_layers = 2;
    config.hidden = 12;
    config.num_heads = 2;
    config.ffn_hidden = 10;
    config.vocab_size = 13;
    config.max_seq_len = 8;
    if (family == Family::kLlama) {
        config.num_kv_heads = grouped ? 1 : 2;
        config.tied_embedding = false;
        config.qkv_bias = true;
        config.qk_norm = true;
        config.rope_theta = 50;
    }
    return complete(config);
}

TransformerOptions options_of(DType compute, Recompute recompute = Recompute::kNone) {
    TransformerOptions options;
    options.micro_batch = kBatch;
    options.seq_len = kLength;
    options.compute = compute;
    options.recompute = recompute;
    options.head_chunk_tokens = 3;  // several chunks, the last one short
    return options;
}

/// Tokens and targets; every third target is not counted.
struct Ids {
    std::vector<int32_t> tokens, targets;
    explicit Ids(int32_t vocab, int64_t count = kBatch * kLength) {
        for (int32_t i = 0; i < count; ++i) {
            tokens.push_back(i * 7 % vocab);
            targets.push_back(i % 3 == 2 ? -100 : i * 5 % vocab);
        }
    }
    Batch batch(int64_t sequences = kBatch, int64_t length = kLength) const {
        return {tokens.data(), targets.data(), sequences, length};
    }
};

/// Of each sequence: documents of 3 and 2 tokens.
std::vector<int32_t> two_documents() {
    std::vector<int32_t> begins = test::document_begins(kLength, {3, 2});
    const std::vector<int32_t> one = begins;
    for (int64_t b = 1; b < kBatch; ++b) begins.insert(begins.end(), one.begin(), one.end());
    return begins;
}

TEST_CASE("transformer: all gradients equal finite differences of the loss") {
    for (const Family family : {Family::kGpt2, Family::kLlama}) {
        TestModel model(tiny(family), options_of(DType::kF64));
        model.randomise();
        const Ids ids(13);
        const std::vector<int32_t> begins = two_documents();
        Batch batch = ids.batch();
        for (const int32_t* documents : {static_cast<const int32_t*>(nullptr), begins.data()}) {
            batch.document_begins = documents;
            model.zero_gradients();
            model->forward_train(batch, 0.25);
            model->backward();
            const auto loss = [&] { return model->forward(batch).loss_sum * 0.25; };
            for (size_t i = 0; i < model.num_params(); ++i) {
                CAPTURE(model.spec(i).name);
                const std::vector<double> numeric = test::numeric_gradient(model.weight(i), loss);
                CHECK(test::relative_error(model.gradient(i).values(), numeric) <= 1e-7);
            }
        }
    }
}

TEST_CASE("transformer: a document in a packed sequence is what it is alone") {
    for (const Family family : {Family::kGpt2, Family::kLlama}) {
        const Ids ids(13);
        const std::vector<int32_t> begins = two_documents();
        Batch packed = ids.batch();
        packed.document_begins = begins.data();
        TestModel whole(tiny(family), options_of(DType::kF64));
        TestModel alone(tiny(family), options_of(DType::kF64));
        whole.randomise();
        alone.randomise();
        const double loss = whole->forward_train(packed, 0.2).loss_sum;
        whole->backward();
        double sum = 0;
        for (int64_t begin = 0, end = 1; end <= kBatch * kLength; ++end) {
            const bool is_end =
                end == kBatch * kLength || begins[static_cast<size_t>(end)] == end % kLength;
            if (!is_end) continue;
            sum += alone
                       ->forward_train(
                           {packed.tokens + begin, packed.targets + begin, 1, end - begin}, 0.2)
                       .loss_sum;
            alone->backward();
            begin = end;
        }
        CHECK(sum == doctest::Approx(loss).epsilon(1e-13));
        for (size_t i = 0; i < whole.num_params(); ++i) {
            CAPTURE(whole.spec(i).name);
            CHECK(test::relative_error(whole.gradient(i).values(), alone.gradient(i).values()) <=
                  1e-13);
        }
    }
}

TEST_CASE("transformer: documents that can not be are refused") {
    TestModel model(tiny(Family::kGpt2), options_of(DType::kF64));
    model.randomise();
    const Ids ids(13);
    std::vector<int32_t> begins(kBatch * kLength, 0);
    Batch batch = ids.batch();
    batch.document_begins = begins.data();
    begins[2] = 3;  // beyond the token itself
    CHECK_THROWS_WITH_AS(model->forward(batch), doctest::Contains("begins at 3"), Error);
    begins[2] = 2;  // and the next token belongs to the document before
    CHECK_THROWS_WITH_AS(model->forward(batch), doctest::Contains("position 3"), Error);
}

TEST_CASE("transformer: recomputation changes no bit") {
    for (const DType compute : {DType::kF64, DType::kF32, DType::kBF16}) {
        for (const Family family : {Family::kGpt2, Family::kLlama}) {
            const Ids ids(13);
            const std::vector<int32_t> begins = two_documents();
            Batch batch = ids.batch();
            batch.document_begins = begins.data();
            TestModel kept(tiny(family), options_of(compute));
            kept.randomise();
            const LossSums expected = kept->forward_train(batch, 0.25);
            kept->backward();
            for (const Recompute recompute : {Recompute::kSelective, Recompute::kFull}) {
                TestModel model(tiny(family), options_of(compute, recompute));
                model.randomise();
                CHECK(model->forward_train(batch, 0.25).loss_sum == expected.loss_sum);
                model->backward();
                for (size_t i = 0; i < model.num_params(); ++i) {
                    CAPTURE(model.spec(i).name);
                    CHECK(model.gradient(i) == kept.gradient(i));
                }
            }
        }
    }
}

TEST_CASE("transformer: recomputation saves activation memory") {
    uint64_t bytes[3];
    for (int i = 0; i < 3; ++i) {
        tensor::CountingAlloc alloc;
        ModelConfig config = tiny(Family::kLlama);
        config.num_layers = 12;
        const Transformer model(config, options_of(DType::kF32, static_cast<Recompute>(i)), alloc);
        bytes[i] = alloc.used()[static_cast<size_t>(tensor::MemoryClass::kActivation)];
    }
    CHECK(5 * bytes[1] < 4 * bytes[0]);
    CHECK(4 * bytes[2] < bytes[1]);
}

TEST_CASE("transformer: gradients of micro-batches add up to those of the batch") {
    for (const Family family : {Family::kGpt2, Family::kLlama}) {
        const Ids ids(13);
        TestModel whole(tiny(family), options_of(DType::kF64));
        TestModel parts(tiny(family), options_of(DType::kF64));
        whole.randomise();
        parts.randomise();
        const LossSums expected = whole->forward_train(ids.batch(), 0.2);
        whole->backward();
        LossSums sums;
        for (int64_t i = 0; i < kBatch; ++i) {
            Batch one = ids.batch(1);
            one.tokens += i * kLength;
            one.targets += i * kLength;
            const LossSums part = parts->forward_train(one, 0.2);
            parts->backward();
            sums.loss_sum += part.loss_sum;
            sums.valid_tokens += part.valid_tokens;
        }
        CHECK(sums.loss_sum == doctest::Approx(expected.loss_sum).epsilon(1e-14));
        CHECK(sums.valid_tokens == expected.valid_tokens);
        for (size_t i = 0; i < whole.num_params(); ++i) {
            CHECK(test::relative_error(parts.gradient(i).values(), whole.gradient(i).values()) <=
                  1e-13);
        }
    }
}

TEST_CASE("transformer: single steps equal backward(); a wrong order is refused") {
    const Ids ids(13);
    TestModel whole(tiny(Family::kLlama), options_of(DType::kF32));
    TestModel steps(tiny(Family::kLlama), options_of(DType::kF32));
    whole.randomise();
    steps.randomise();
    std::vector<int> order;
    whole->forward_train(ids.batch(), 1);
    whole->backward([&](int block) { order.push_back(block); });
    CHECK(order == std::vector<int>{3, 2, 1, 0});
    steps->forward_train(ids.batch(), 1);
    CHECK_THROWS_AS(steps->backward_input(1), Error);
    steps->backward_input(2);
    CHECK_THROWS_AS(steps->backward_input(1), Error);
    steps->backward_weight(2);
    CHECK_THROWS_AS(steps->backward_embedding(), Error);
    steps->backward_input(1);
    steps->backward_weight(1);
    steps->backward_embedding();
    CHECK_THROWS_AS(steps->backward_embedding(), Error);
    for (size_t i = 0; i < whole.num_params(); ++i) CHECK(whole.gradient(i) == steps.gradient(i));
}

TEST_CASE("transformer: in fixed order the bits do not depend on threads") {
    const int threads = omp_get_max_threads();
    const Ids ids(13);
    TransformerOptions options = options_of(DType::kF32);
    options.fixed_order_matmul = true;
    omp_set_num_threads(3);
    TestModel many(tiny(Family::kLlama), options);
    many.randomise();
    many->forward_train(ids.batch(), 1);
    many->backward();
    omp_set_num_threads(1);
    TestModel one(tiny(Family::kLlama), options);
    one.randomise();
    one->forward_train(ids.batch(), 1);
    one->backward();
    omp_set_num_threads(threads);
    for (size_t i = 0; i < one.num_params(); ++i) CHECK(one.gradient(i) == many.gradient(i));
}

TEST_CASE("transformer: smaller batches and inference memory give the same losses") {
    for (const Family family : {Family::kGpt2, Family::kLlama}) {
        const Ids ids(13);
        TransformerOptions options = options_of(DType::kF64);
        TestModel training(tiny(family), options);
        options.training = false;
        TestModel inference(tiny(family), options);
        training.randomise();
        inference.randomise();
        for (const int64_t length : {1, 3, 5}) {
            const double expected = training->forward_train(ids.batch(1, length), 1).loss_sum;
            CHECK(training->forward(ids.batch(1, length)).loss_sum == expected);
            CHECK(inference->forward(ids.batch(1, length)).loss_sum == expected);
        }
        CHECK_THROWS_AS(inference->forward_train(ids.batch(), 1), Error);
    }
}

TEST_CASE("transformer: extending a cached sequence gives the logits of the whole") {
    for (const Family family : {Family::kGpt2, Family::kLlama}) {
        const Ids ids(13, 8);
        TransformerOptions options = options_of(DType::kF64);
        options.training = false;
        options.micro_batch = 1;
        options.seq_len = 8;
        TestModel whole(tiny(family), options);
        options.seq_len = 3;  // the prompt goes in in pieces
        options.cache_len = 8;
        TestModel cached(tiny(family), options);
        whole.randomise();
        cached.randomise();
        std::vector<double> expected(8 * 13), last(13);
        whole->logits(ids.batch(1, 8), expected);
        const auto check_at = [&](size_t position) {
            const std::vector<double> row(expected.begin() + static_cast<long>(position * 13),
                                          expected.begin() + static_cast<long>(position * 13 + 13));
            CHECK(test::relative_error(last, row) <= 1e-13);
        };
        cached->extend(std::span(ids.tokens).first(4), last);
        check_at(3);
        for (size_t i = 4; i < 8; ++i) {
            cached->extend(std::span(ids.tokens).subspan(i, 1), last);
            check_at(i);
        }
        CHECK(cached->cached_tokens() == 8);
        CHECK_THROWS_WITH_AS(cached->extend(std::span(ids.tokens).first(1), last),
                             doctest::Contains("context of 8"), UsageError);
        cached->truncate_cache(2);
        cached->extend(std::span(ids.tokens).subspan(2, 1), last);
        check_at(2);
    }
}

TEST_CASE("transformer: tokens and targets outside the vocabulary are named") {
    Ids ids(13);
    TestModel model(tiny(Family::kGpt2), options_of(DType::kF32));
    ids.tokens[7] = 13;
    CHECK_THROWS_WITH_AS(
        model->forward(ids.batch()),
        doctest::Contains("token 13 of sequence 1, position 2, is outside the vocabulary of 13"),
        DataError);
    ids.tokens[7] = 12;
    ids.targets[1] = -1;
    CHECK_THROWS_WITH_AS(model->forward(ids.batch()), doctest::Contains("target -1"), DataError);
}

TEST_CASE("transformer: a batch without counted targets has loss 0 and gradients 0") {
    Ids ids(13);
    for (int32_t& target : ids.targets) target = -100;
    TestModel model(tiny(Family::kLlama), options_of(DType::kF32));
    model.randomise();
    const LossSums sums = model->forward_train(ids.batch(), 1);
    model->backward();
    CHECK(sums.loss_sum == 0);
    CHECK(sums.valid_tokens == 0);
    for (size_t i = 0; i < model.num_params(); ++i) {
        for (const double value : model.gradient(i).values()) CHECK(value == 0);
    }
}

TEST_CASE(
    "transformer: bind refuses other sizes and types, sequences beyond the model are refused") {
    TestModel model(tiny(Family::kGpt2), options_of(DType::kF32));
    TypedValues wrong(DType::kF32, 5);
    CHECK_THROWS_WITH_AS(model->bind(0, {wrong.data(), 5, DType::kF32}, {}),
                         doctest::Contains("embedding.tokens: weight of 5 f32"), Error);
    tensor::CountingAlloc alloc;
    TransformerOptions options = options_of(DType::kF32);
    options.seq_len = 9;
    CHECK_THROWS_WITH_AS(Transformer(tiny(Family::kGpt2), options, alloc),
                         doctest::Contains("max_seq_len = 8"), UsageError);
}

}  // namespace
}  // namespace longhaul::model
