// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cstring>
#include <limits>

#include "kernels/cast.h"
#include "kernels/gelu.h"
#include "kernels/rope.h"
#include "kernels/swiglu.h"
#include "tests/support/typed_values.h"

namespace longhaul::kernels {
namespace {

using tensor::DType;
using test::TypedValues;

double gelu(double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

TEST_CASE("gelu: forward equals the tanh form in every type") {
    Stream stream = Stream::cpu();
    for (const DType dtype : {DType::kF64, DType::kF32, DType::kBF16}) {
        const int64_t count = 1003;
        TypedValues x = test::random_typed(dtype, count, 1, 6);
        TypedValues out(dtype, count);
        cpu::gelu_forward(stream, {dtype, count, x.data(), out.data()});
        std::vector<double> expected = x.values();
        for (double& value : expected) value = gelu(value);
        const double bound =
            test::epsilon_of(dtype) + 4 * test::epsilon_of(test::accumulator_of(dtype));
        CHECK(test::relative_error(out.values(), expected) <= bound);
        cpu::gelu_forward(stream, {dtype, count, x.data(), x.data()});  // in place
        CHECK(x == out);
    }
}

TEST_CASE("gelu: far from zero it is 0 or x, and NaN stays NaN") {
    Stream stream = Stream::cpu();
    TypedValues x(DType::kF32, std::vector<double>{-1e4, -60, 60, 1e4, std::nan("")});
    TypedValues out(DType::kF32, 5);
    cpu::gelu_forward(stream, {DType::kF32, 5, x.data(), out.data()});
    CHECK(std::abs(out[0]) < 1e-30);
    CHECK(std::abs(out[1]) < 1e-30);
    CHECK(out[2] == 60);
    CHECK(out[3] == 1e4);
    CHECK(std::isnan(out[4]));
}

TEST_CASE("gelu: backward equals finite differences") {
    Stream stream = Stream::cpu();
    const int64_t count = 77;
    TypedValues x = test::random_typed(DType::kF64, count, 1, 4);
    TypedValues out(DType::kF64, count), grad(DType::kF64, count);
    const TypedValues dy = test::random_typed(DType::kF64, count, 2);
    cpu::gelu_backward(stream, {DType::kF64, count, x.data(), dy.data(), grad.data()});
    const auto loss = [&] {
        cpu::gelu_forward(stream, {DType::kF64, count, x.data(), out.data()});
        return test::dot(out, dy.values());
    };
    CHECK(test::relative_error(grad.values(), test::numeric_gradient(x, loss)) <= 1e-9);
}

TEST_CASE(
    "swiglu: forward equals silu(gate) up; backward equals finite differences, in place too") {
    Stream stream = Stream::cpu();
    const int64_t rows = 5, columns = 19;
    for (const DType dtype : {DType::kF64, DType::kF32, DType::kBF16}) {
        TypedValues x = test::random_typed(dtype, rows * 2 * columns, 1, 4);
        TypedValues out(dtype, rows * columns);
        cpu::swiglu_forward(stream, {dtype, rows, columns, x.data(), out.data()});
        std::vector<double> expected(out.count());
        for (size_t i = 0; i < expected.size(); ++i) {
            const size_t at = i / columns * 2 * columns + i % columns;
            expected[i] = x[at] / (1 + std::exp(-x[at])) * x[at + columns];
        }
        CHECK(test::relative_error(out.values(), expected) <=
              test::epsilon_of(dtype) + 4 * test::epsilon_of(test::accumulator_of(dtype)));
    }
    TypedValues x = test::random_typed(DType::kF64, rows * 2 * columns, 1, 4);
    TypedValues out(DType::kF64, rows * columns), grad(DType::kF64, rows * 2 * columns);
    const TypedValues dy = test::random_typed(DType::kF64, rows * columns, 2);
    cpu::swiglu_backward(stream, {DType::kF64, rows, columns, x.data(), dy.data(), grad.data()});
    const auto loss = [&] {
        cpu::swiglu_forward(stream, {DType::kF64, rows, columns, x.data(), out.data()});
        return test::dot(out, dy.values());
    };
    CHECK(test::relative_error(grad.values(), test::numeric_gradient(x, loss)) <= 1e-9);
    cpu::swiglu_backward(stream, {DType::kF64, rows, columns, x.data(), dy.data(), x.data()});
    CHECK(x == grad);
}

TEST_CASE("rope: rotates half-split pairs by position, and the inverse undoes it") {
    Stream stream = Stream::cpu();
    const int64_t seq_len = 4, heads = 3, dim = 10, stride = 40, rows = 8;
    std::vector<double> cosines, sines;
    for (int64_t position = 0; position < 6; ++position) {
        for (int64_t i = 0; i < dim / 2; ++i) {
            const double angle = static_cast<double>(position) *
                                 std::pow(10000.0, -2.0 * static_cast<double>(i) / dim);
            cosines.push_back(std::cos(angle));
            sines.push_back(std::sin(angle));
        }
    }
    for (const DType dtype : {DType::kF64, DType::kF32, DType::kBF16}) {
        const TypedValues cos(test::accumulator_of(dtype), cosines);
        const TypedValues sin(test::accumulator_of(dtype), sines);
        TypedValues x = test::random_typed(dtype, rows * stride, 1);
        const std::vector<double> before = x.values();
        RopeArgs args{dtype,    rows,    heads, dim,        stride,
                      x.data(), seq_len, 2,     cos.data(), sin.data()};
        cpu::rope(stream, args);
        std::vector<double> expected = before;
        for (int64_t r = 0; r < rows; ++r) {
            for (int64_t h = 0; h < heads; ++h) {
                for (int64_t i = 0; i < dim / 2; ++i) {
                    const auto at = static_cast<size_t>(r * stride + h * dim + i);
                    const auto angle = static_cast<size_t>((2 + r % seq_len) * dim / 2 + i);
                    const double a = before[at], b = before[at + dim / 2];
                    expected[at] = a * cosines[angle] - b * sines[angle];
                    expected[at + dim / 2] = b * cosines[angle] + a * sines[angle];
                }
            }
        }
        CHECK(test::relative_error(x.values(), expected) <= 3 * test::epsilon_of(dtype));
        args.inverse = true;
        cpu::rope(stream, args);
        CHECK(test::relative_error(x.values(), before) <= 6 * test::epsilon_of(dtype));
    }
}

TEST_CASE("cast: f32 to bf16 rounds exactly as tensor::to_bf16, special values included") {
    Stream stream = Stream::cpu();
    std::vector<float> from;
    for (uint32_t i = 0; i < 70000; ++i) from.push_back(std::bit_cast<float>(i * 61357u));
    for (const uint32_t bits : {0x7F800000u, 0xFF800000u, 0x7F800001u, 0x7FFFFFFFu, 0x3F808000u,
                                0x3F818000u, 0x7F7FFFFFu, 0x00000001u, 0x80008000u}) {
        from.push_back(std::bit_cast<float>(bits));
    }
    std::vector<tensor::BFloat16> to(from.size());
    const auto count = static_cast<int64_t>(from.size());
    cpu::cast(stream, {DType::kF32, DType::kBF16, count, from.data(), to.data()});
    int64_t wrong = 0;
    for (size_t i = 0; i < from.size(); ++i) wrong += to[i] != tensor::to_bf16(from[i]);
    CHECK(wrong == 0);
    std::vector<float> back(from.size());
    cpu::cast(stream, {DType::kBF16, DType::kF32, count, to.data(), back.data()});
    for (size_t i = 0; i < from.size(); ++i) {
        wrong += std::bit_cast<uint32_t>(back[i]) != uint32_t{to[i].bits} << 16;
    }
    CHECK(wrong == 0);
}

TEST_CASE("cast: every pair of types keeps what the narrower one holds") {
    Stream stream = Stream::cpu();
    const TypedValues bf16 = test::random_typed(DType::kBF16, 50, 3);
    for (const DType a : {DType::kF64, DType::kF32, DType::kBF16}) {
        for (const DType b : {DType::kF64, DType::kF32, DType::kBF16}) {
            TypedValues from(a, bf16.values());
            TypedValues to(b, 50);
            cpu::cast(stream, {a, b, 50, from.data(), to.data()});
            CHECK(to.values() == bf16.values());
        }
    }
}

TEST_CASE("cast: rows with strides, the columns between untouched") {
    Stream stream = Stream::cpu();
    const TypedValues from = test::random_typed(DType::kF32, 3 * 20, 1);
    TypedValues to(DType::kF64, std::vector<double>(3 * 7, 9.0));
    CastArgs args{DType::kF32, DType::kF64, 5, from.data(), to.data()};
    args.rows = 3;
    args.from_stride = 20;
    args.to_stride = 7;
    cpu::cast(stream, args);
    for (size_t row = 0; row < 3; ++row) {
        for (size_t i = 0; i < 7; ++i) {
            CHECK(to[row * 7 + i] == (i < 5 ? from[row * 20 + i] : 9.0));
        }
    }
}

}  // namespace
}  // namespace longhaul::kernels
