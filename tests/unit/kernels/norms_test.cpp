// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "kernels/head_norm.h"
#include "kernels/layernorm.h"
#include "kernels/rmsnorm.h"
#include "tests/support/typed_values.h"

namespace longhaul::kernels {
namespace {

using tensor::DType;
using test::TypedValues;

/// LayerNorm, or RMSNorm (which has no mean and no bias), on the same data.
struct Case {
    bool centred;
    DType dtype;
    int64_t rows, columns;
    TypedValues x, residual, weight, bias, sum, out, mean, rstd;
    TypedValues grad_out, grad_residual, grad_sum, grad_weight, grad_bias;

    Case(bool is_layernorm, DType type, int64_t r, int64_t c)
        : centred(is_layernorm),
          dtype(type),
          rows(r),
          columns(c),
          x(test::random_typed(type, r * c, 1)),
          residual(test::random_typed(type, r * c, 2)),
          weight(test::random_typed(type, c, 3)),
          bias(test::random_typed(type, c, 4)),
          sum(type, r * c),
          out(type, r * c),
          mean(test::accumulator_of(type), r),
          rstd(test::accumulator_of(type), r),
          grad_out(test::random_typed(type, r * c, 5)),
          grad_residual(test::random_typed(type, r * c, 6)),
          grad_sum(type, r * c),
          grad_weight(test::accumulator_of(type), c),
          grad_bias(test::accumulator_of(type), c) {}

    void forward() {
        Stream stream = Stream::cpu();
        if (centred) {
            cpu::layernorm_forward(
                stream, {dtype, rows, columns, 1e-5, x.data(), residual.data(), weight.data(),
                         bias.data(), sum.data(), out.data(), mean.data(), rstd.data()});
        } else {
            cpu::rmsnorm_forward(stream, {dtype, rows, columns, 1e-5, x.data(), residual.data(),
                                          weight.data(), sum.data(), out.data(), rstd.data()});
        }
    }
    void backward(bool inputs, bool weights) {
        Stream stream = Stream::cpu();
        void* dx = inputs ? grad_sum.data() : nullptr;
        void* dw = weights ? grad_weight.data() : nullptr;
        if (centred) {
            cpu::layernorm_backward(
                stream, {dtype, rows, columns, grad_out.data(), grad_residual.data(), sum.data(),
                         weight.data(), mean.data(), rstd.data(), dx, dw,
                         weights ? grad_bias.data() : nullptr});
        } else {
            cpu::rmsnorm_backward(
                stream, {dtype, rows, columns, grad_out.data(), grad_residual.data(), sum.data(),
                         weight.data(), rstd.data(), dx, dw, nullptr, 0});
        }
    }
    /// sum . grad_residual + out . grad_out: its gradients are what backward() gives.
    double loss() {
        forward();
        return test::dot(out, grad_out.values()) + test::dot(sum, grad_residual.values());
    }
};

void naive_forward(const Case& c, std::vector<double>& sum, std::vector<double>& out) {
    for (int64_t r = 0; r < c.rows; ++r) {
        double mean = 0, square = 0;
        const auto at = [&](int64_t i) { return static_cast<size_t>(r * c.columns + i); };
        for (int64_t i = 0; i < c.columns; ++i) mean += sum[at(i)] = c.x[at(i)] + c.residual[at(i)];
        mean = c.centred ? mean / static_cast<double>(c.columns) : 0;
        for (int64_t i = 0; i < c.columns; ++i) square += std::pow(sum[at(i)] - mean, 2);
        const double rstd = 1 / std::sqrt(square / static_cast<double>(c.columns) + 1e-5);
        for (int64_t i = 0; i < c.columns; ++i) {
            const auto column = static_cast<size_t>(i);
            out[at(i)] =
                (sum[at(i)] - mean) * rstd * c.weight[column] + (c.centred ? c.bias[column] : 0);
        }
    }
}

TEST_CASE("norms: forward equals the formula in every type, twice with the same bits") {
    for (const bool centred : {false, true}) {
        for (const DType dtype : {DType::kF64, DType::kF32, DType::kBF16}) {
            Case c(centred, dtype, 9, 37);
            c.forward();
            std::vector<double> sum(c.sum.count()), out(c.out.count());
            naive_forward(c, sum, out);
            // bf16: the norm is taken of the rounded sum, hence two roundings of the input.
            const double bound =
                4 * test::epsilon_of(dtype) + 16 * test::epsilon_of(test::accumulator_of(dtype));
            CHECK(test::relative_error(c.sum.values(), sum) <= test::epsilon_of(dtype));
            CHECK(test::relative_error(c.out.values(), out) <= bound);
            const TypedValues first = c.out;
            c.forward();
            CHECK(first == c.out);
        }
    }
}

TEST_CASE("norms: gradients equal finite differences") {
    for (const bool centred : {false, true}) {
        Case c(centred, DType::kF64, 3, 19);
        c.forward();
        c.backward(true, true);
        const auto loss = [&] { return c.loss(); };
        CHECK(test::relative_error(c.grad_sum.values(), test::numeric_gradient(c.x, loss)) <= 1e-8);
        CHECK(test::relative_error(c.grad_weight.values(),
                                   test::numeric_gradient(c.weight, loss)) <= 1e-8);
        if (centred) {
            CHECK(test::relative_error(c.grad_bias.values(),
                                       test::numeric_gradient(c.bias, loss)) <= 1e-8);
        }
    }
}

TEST_CASE("norms: inputs and weights alone give the same bits as both; weights are added to") {
    for (const bool centred : {false, true}) {
        Case both(centred, DType::kF32, 20, 300);
        Case split(centred, DType::kF32, 20, 300);
        both.forward();
        split.forward();
        both.backward(true, true);
        split.backward(true, false);
        split.backward(false, true);
        CHECK(both.grad_sum == split.grad_sum);
        CHECK(both.grad_weight == split.grad_weight);
        CHECK(both.grad_bias == split.grad_bias);
        const double once = split.grad_weight[7];
        split.backward(false, true);
        CHECK(split.grad_weight[7] == doctest::Approx(2 * once).epsilon(1e-5));
    }
}

TEST_CASE("norms: without residual, and in place on the residual gradient") {
    Stream stream = Stream::cpu();
    Case c(true, DType::kF64, 4, 8);
    cpu::layernorm_forward(stream,
                           {c.dtype, c.rows, c.columns, 1e-5, c.x.data(), nullptr, c.weight.data(),
                            c.bias.data(), nullptr, c.out.data(), c.mean.data(), c.rstd.data()});
    for (size_t i = 0; i < c.residual.count(); ++i) c.residual.set(i, 0);
    const TypedValues out = c.out;
    c.forward();
    CHECK(out == c.out);
    c.backward(true, false);
    cpu::layernorm_backward(stream, {c.dtype, c.rows, c.columns, c.grad_out.data(),
                                     c.grad_residual.data(), c.sum.data(), c.weight.data(),
                                     c.mean.data(), c.rstd.data(), c.grad_residual.data()});
    CHECK(c.grad_residual == c.grad_sum);
}

/// Three heads of 5 in rows of 20, normalised in place, as the model does with QK norm.
struct HeadCase {
    static constexpr int64_t kRows = 4, kHeads = 3, kDim = 5, kStride = 20;
    TypedValues packed = test::random_typed(DType::kF64, kRows* kStride, 1);
    TypedValues weight = test::random_typed(DType::kF64, kDim, 2);
    TypedValues rstd{DType::kF64, kRows* kHeads};
    TypedValues kept{DType::kF64, kRows* kHeads* kDim};

    TypedValues forward() {
        Stream stream = Stream::cpu();
        TypedValues out = packed;
        cpu::head_norm_forward(
            stream, {DType::kF64, kRows, kHeads, kDim, 1e-5, out.data(), kStride, weight.data(),
                     out.data(), rstd.data(), kept.data(), kHeads * kDim});
        return out;
    }
};

TEST_CASE("norms: head norm works on each head of packed rows and leaves the rest alone") {
    HeadCase c;
    const TypedValues out = c.forward();
    std::vector<double> expected = c.packed.values();
    for (size_t row = 0; row < 4; ++row) {
        for (size_t head = 0; head < 3; ++head) {
            double* x = &expected[row * 20 + head * 5];
            double square = 0;
            for (size_t i = 0; i < 5; ++i) {
                CHECK(c.kept[(row * 3 + head) * 5 + i] == x[i]);
                square += x[i] * x[i] / 5;
            }
            for (size_t i = 0; i < 5; ++i) x[i] *= c.weight[i] / std::sqrt(square + 1e-5);
        }
    }
    CHECK(test::relative_error(out.values(), expected) <= 1e-15);
}

TEST_CASE("norms: gradients of head norm equal finite differences, in place") {
    HeadCase c;
    Stream stream = Stream::cpu();
    const TypedValues weights = test::random_typed(DType::kF64, 80, 3);
    const auto loss = [&] { return test::dot(c.forward(), weights.values()); };
    loss();
    TypedValues grad = weights;
    TypedValues grad_weight(DType::kF64, 5);
    cpu::head_norm_backward(
        stream, {DType::kF64, 4, 3, 5, grad.data(), c.kept.data(), 20, 15, c.weight.data(),
                 c.rstd.data(), grad.data(), grad_weight.data()});
    CHECK(test::relative_error(grad.values(), test::numeric_gradient(c.packed, loss)) <= 1e-8);
    CHECK(test::relative_error(grad_weight.values(), test::numeric_gradient(c.weight, loss)) <=
          1e-8);
}

}  // namespace
}  // namespace longhaul::kernels
