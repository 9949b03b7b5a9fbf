// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/adamw.h"

#include <doctest/doctest.h>

#include "tests/support/typed_values.h"

namespace longhaul::kernels {
namespace {

using tensor::DType;
using test::TypedValues;

constexpr int64_t kCount = 40001;  // over two chunks, with a tail

struct State {
    DType dtype, grad_dtype;
    TypedValues grad, master, m, v;
    std::vector<tensor::BFloat16> weights;

    State(DType state, DType gradient)
        : dtype(state),
          grad_dtype(gradient),
          grad(test::random_typed(gradient, kCount, 1)),
          master(test::random_typed(state, kCount, 2)),
          m(test::random_typed(state, kCount, 3, 0.1)),
          v(test::random_typed(state, kCount, 4, 0.1)),
          weights(kCount) {
        for (size_t i = 0; i < kCount; ++i) v.set(i, v[i] * v[i]);
    }
    AdamWArgs args() {
        AdamWArgs result{dtype, grad_dtype, kCount, grad.data(), master.data(), m.data(), v.data()};
        result.learning_rate = 0.01;
        result.weight_decay = 0.1;
        result.grad_scale = 0.5;
        result.step = 3;
        return result;
    }
};

TEST_CASE("adamw: one step equals the formula for every state and gradient type") {
    Stream stream = Stream::cpu();
    const std::pair<DType, DType> types[] = {
        {DType::kF64, DType::kF64}, {DType::kF32, DType::kF32}, {DType::kF32, DType::kBF16}};
    for (const auto& [state_dtype, grad_dtype] : types) {
        State state(state_dtype, grad_dtype);
        std::vector<double> expected(kCount);
        for (size_t i = 0; i < kCount; ++i) {
            const double g = state.grad[i] * 0.5;
            const double m = 0.9 * state.m[i] + 0.1 * g;
            const double v = 0.95 * state.v[i] + 0.05 * g * g;
            const double step =
                (m / (1 - std::pow(0.9, 3))) / (std::sqrt(v / (1 - std::pow(0.95, 3))) + 1e-8);
            expected[i] = state.master[i] - 0.01 * (step + 0.1 * state.master[i]);
        }
        cpu::adamw(stream, state.args());
        CHECK(test::relative_error(state.master.values(), expected) <=
              8 * test::epsilon_of(state_dtype));
    }
}

TEST_CASE("adamw: any split of the run gives the same bits, stochastic rounding included") {
    Stream stream = Stream::cpu();
    State whole(DType::kF32, DType::kF32), split(DType::kF32, DType::kF32);
    AdamWArgs args = whole.args();
    args.weights = whole.weights.data();
    args.rounding = Rounding::kStochastic;
    args.seed = 5;
    args.tensor_stream = 9;
    args.first_element = 1003;
    cpu::adamw(stream, args);
    for (int64_t first = 0; first < kCount; first += 777) {
        AdamWArgs part = split.args();
        part.count = std::min<int64_t>(777, kCount - first);
        part.grad = static_cast<const float*>(part.grad) + first;
        part.master = static_cast<float*>(part.master) + first;
        part.m = static_cast<float*>(part.m) + first;
        part.v = static_cast<float*>(part.v) + first;
        part.weights = split.weights.data() + first;
        part.rounding = Rounding::kStochastic;
        part.seed = 5;
        part.tensor_stream = 9;
        part.first_element = 1003 + first;
        cpu::adamw(stream, part);
    }
    CHECK(whole.master == split.master);
    CHECK(whole.m == split.m);
    CHECK(whole.v == split.v);
    CHECK(whole.weights == split.weights);
}

TEST_CASE("adamw: bf16 weights are the rounded masters; stochastic rounding has no bias") {
    Stream stream = Stream::cpu();
    State state(DType::kF32, DType::kF32);
    AdamWArgs args = state.args();
    args.weights = state.weights.data();
    cpu::adamw(stream, args);
    for (size_t i = 0; i < kCount; i += 501) {
        CHECK(state.weights[i] == tensor::to_bf16(static_cast<float>(state.master[i])));
    }
    args.rounding = Rounding::kStochastic;
    cpu::adamw(stream, args);
    double bias = 0;
    for (size_t i = 0; i < kCount; ++i) {
        bias += tensor::to_float(state.weights[i]) - state.master[i];
    }
    // |x| < 1: an error of at most 2^-8, of standard deviation < 2^-9; five sigmas of the mean.
    CHECK(std::abs(bias / kCount) < 5 * 0x1p-9 / std::sqrt(double{kCount}));
}

TEST_CASE("adamw: zero gradient and no decay move nothing; step 0 is refused") {
    Stream stream = Stream::cpu();
    State state(DType::kF32, DType::kF32);
    for (size_t i = 0; i < kCount; ++i) {
        state.grad.set(i, 0);
        state.m.set(i, 0);
    }
    const TypedValues before = state.master;
    AdamWArgs args = state.args();
    args.weight_decay = 0;
    cpu::adamw(stream, args);
    CHECK(before == state.master);
    args.step = 0;
    CHECK_THROWS_WITH_AS(cpu::adamw(stream, args), doctest::Contains("step 0"), Error);
}

}  // namespace
}  // namespace longhaul::kernels
