// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "kernels/cross_entropy.h"
#include "kernels/embedding.h"
#include "kernels/reduce.h"
#include "tests/support/typed_values.h"

namespace longhaul::kernels {
namespace {

using tensor::DType;
using test::TypedValues;

constexpr int64_t kRows = 4, kVocab = 77, kPadded = 80;
const int32_t kTargets[kRows] = {0, 76, -100, 40};

TEST_CASE("cross_entropy: loss and gradient equal the formula; padding and ignored rows are zero") {
    Stream stream = Stream::cpu();
    for (const DType dtype : {DType::kF64, DType::kF32, DType::kBF16}) {
        TypedValues logits = test::random_typed(dtype, kRows * kPadded, 1, 8);
        const std::vector<double> x = logits.values();
        TypedValues losses(test::accumulator_of(dtype), kRows);
        TypedValues again = logits;
        CrossEntropyArgs args{dtype,    kRows, kVocab,        kPadded, logits.data(),
                              kTargets, -100,  losses.data(), 0.25,    true};
        cpu::cross_entropy(stream, args);
        std::vector<double> gradient(x.size()), loss(kRows);
        for (size_t r = 0; r < kRows; ++r) {
            if (kTargets[r] < 0) continue;
            double sum = 0;
            for (size_t v = 0; v < kVocab; ++v) sum += std::exp(x[r * kPadded + v]);
            const auto target = static_cast<size_t>(kTargets[r]);
            loss[r] = std::log(sum) - x[r * kPadded + target];
            for (size_t v = 0; v < kVocab; ++v) {
                gradient[r * kPadded + v] =
                    0.25 * (std::exp(x[r * kPadded + v]) / sum - (v == target ? 1 : 0));
            }
        }
        const double sums = 32 * test::epsilon_of(test::accumulator_of(dtype));
        CHECK(test::relative_error(losses.values(), loss) <= sums);
        CHECK(test::relative_error(logits.values(), gradient) <= sums + test::epsilon_of(dtype));
        args.logits = again.data();
        cpu::cross_entropy(stream, args);
        CHECK(again == logits);
    }
}

TEST_CASE("cross_entropy: without gradient the logits stay; label 3 of [0,1,2,3] costs 0.4401897") {
    Stream stream = Stream::cpu();
    TypedValues logits(DType::kF64, std::vector<double>{0, 1, 2, 3});
    const TypedValues before = logits;
    TypedValues losses(DType::kF64, 1);
    const int32_t target = 3;
    cpu::cross_entropy(
        stream, {DType::kF64, 1, 4, 4, logits.data(), &target, -100, losses.data(), 1.0, false});
    CHECK(losses[0] == doctest::Approx(0.4401896985611953).epsilon(1e-14));
    CHECK(before == logits);
}

TEST_CASE(
    "cross_entropy: NaN, infinite logits and targets out of range give NaN, large ones do not") {
    Stream stream = Stream::cpu();
    TypedValues logits(DType::kF32, std::vector<double>(5 * 20, 1.0));
    logits.set(0 * 20 + 17, std::nan(""));
    logits.set(1 * 20 + 3, HUGE_VAL);
    logits.set(3 * 20 + 5, 3e38);
    const int32_t targets[] = {2, 2, 20, 5, -3};
    TypedValues losses(DType::kF32, 5);
    cpu::cross_entropy(
        stream, {DType::kF32, 5, 20, 20, logits.data(), targets, -100, losses.data(), 1.0, true});
    CHECK(std::isnan(losses[0]));
    CHECK(std::isnan(losses[1]));
    CHECK(std::isnan(losses[2]));
    CHECK(losses[3] == 0);
    CHECK(std::isnan(losses[4]));
}

TEST_CASE("embedding: looks up rows and positions; the gradient adds repeated tokens") {
    Stream stream = Stream::cpu();
    const int64_t columns = 300, seq_len = 3, rows = 6;
    const int32_t tokens[] = {4, 1, 4, 0, 4, 4};
    for (const DType dtype : {DType::kF64, DType::kF32, DType::kBF16}) {
        const TypedValues table = test::random_typed(dtype, 5 * columns, 1);
        const TypedValues positions = test::random_typed(dtype, 7 * columns, 2);
        TypedValues out(dtype, rows * columns);
        cpu::embedding_forward(stream, {dtype, rows, columns, seq_len, 2, tokens, table.data(),
                                        positions.data(), out.data()});
        const TypedValues grad = test::random_typed(dtype, rows * columns, 3);
        TypedValues grad_table(test::accumulator_of(dtype), 5 * columns);
        TypedValues grad_positions(test::accumulator_of(dtype), 7 * columns);
        cpu::embedding_backward(stream, {dtype, rows, columns, seq_len, tokens, grad.data(),
                                         grad_table.data(), grad_positions.data()});
        std::vector<double> expected(out.count()), expected_table(grad_table.count());
        std::vector<double> expected_positions(grad_positions.count());
        for (size_t i = 0; i < expected.size(); ++i) {
            const size_t row = i / columns, column = i % columns;
            const size_t token = static_cast<size_t>(tokens[row]) * columns + column;
            expected[i] = table[token] + positions[(2 + row % seq_len) * columns + column];
            expected_table[token] += grad[i];
            expected_positions[row % seq_len * columns + column] += grad[i];
        }
        const double sums = 8 * test::epsilon_of(test::accumulator_of(dtype));
        CHECK(test::relative_error(out.values(), expected) <= test::epsilon_of(dtype));
        CHECK(test::relative_error(grad_table.values(), expected_table) <= sums);
        CHECK(test::relative_error(grad_positions.values(), expected_positions) <= sums);
    }
}

TEST_CASE("reduce: sum of squares in f64, sum over rows added to the output") {
    Stream stream = Stream::cpu();
    for (const DType dtype : {DType::kF64, DType::kF32, DType::kBF16}) {
        const int64_t count = 3 * kSumBlock + 5;
        const TypedValues x = test::random_typed(dtype, count, 1);
        double expected = 0, actual = 0, first_part = 0, second_part = 0;
        for (const double value : x.values()) expected += value * value;
        cpu::sum_squares(stream, {dtype, count, x.data(), &actual});
        CHECK(actual == doctest::Approx(expected).epsilon(1e-13));
        const auto* half = static_cast<const std::byte*>(x.data()) +
                           kSumBlock * static_cast<int64_t>(tensor::size_of(dtype));
        cpu::sum_squares(stream, {dtype, kSumBlock, x.data(), &first_part});
        cpu::sum_squares(stream, {dtype, count - kSumBlock, half, &second_part});
        CHECK(actual == doctest::Approx(first_part + second_part).epsilon(1e-15));

        const TypedValues rows = test::random_typed(dtype, 7 * 310, 2);
        TypedValues out(test::accumulator_of(dtype), std::vector<double>(300, 1.0));
        cpu::sum_rows(stream, {dtype, 7, 300, 310, rows.data(), out.data()});
        for (size_t c = 0; c < 300; ++c) {
            double sum = 1;
            for (size_t r = 0; r < 7; ++r) sum += rows[r * 310 + c];
            CHECK(out[c] == doctest::Approx(sum).epsilon(1e-6));
        }
    }
}

}  // namespace
}  // namespace longhaul::kernels
