// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/matmul.h"

#include <doctest/doctest.h>
#include <omp.h>

#include "tests/support/typed_values.h"

namespace longhaul::kernels {
namespace {

using tensor::DType;
using test::TypedValues;

struct Shape {
    int64_t m, n, k;
    bool transpose_a, transpose_b, bias, accumulate;
};

// Odd sizes cross every edge of the register tile (8 x 32) and of the blocks (128 x 256 x 256).
const Shape kShapes[] = {
    {1, 1, 1, false, false, false, false},     {3, 5, 7, false, true, true, false},
    {17, 33, 9, true, false, false, true},     {9, 31, 65, true, true, false, false},
    {130, 70, 300, false, false, true, false}, {64, 300, 257, false, true, false, true},
    {5, 4, 0, false, false, false, false},
};

struct Operands {
    TypedValues a, b, c, bias;
    MatmulArgs args;

    Operands(DType dtype, DType out, const Shape& shape)
        : a(test::random_typed(dtype, (shape.transpose_a ? shape.k : shape.m) * lda(shape), 1)),
          b(test::random_typed(dtype, (shape.transpose_b ? shape.n : shape.k) * ldb(shape), 2)),
          c(test::random_typed(out, shape.m * (shape.n + 1), 3)),
          bias(test::random_typed(dtype, shape.n, 4)) {
        args = {dtype,
                out,
                shape.m,
                shape.n,
                shape.k,
                shape.transpose_a,
                shape.transpose_b,
                a.data(),
                b.data(),
                c.data(),
                lda(shape),
                ldb(shape),
                shape.n + 1,
                shape.bias ? bias.data() : nullptr,
                shape.accumulate};
    }
    static int64_t lda(const Shape& s) { return (s.transpose_a ? s.m : s.k) + 2; }
    static int64_t ldb(const Shape& s) { return (s.transpose_b ? s.k : s.n) + 3; }
};

std::vector<double> naive(const Operands& operands, const Shape& s) {
    std::vector<double> result = operands.c.values();
    for (int64_t i = 0; i < s.m; ++i) {
        for (int64_t j = 0; j < s.n; ++j) {
            double sum = s.bias ? operands.bias[static_cast<size_t>(j)] : 0.0;
            for (int64_t k = 0; k < s.k; ++k) {
                const int64_t at =
                    s.transpose_a ? k * Operands::lda(s) + i : i * Operands::lda(s) + k;
                const int64_t bt =
                    s.transpose_b ? j * Operands::ldb(s) + k : k * Operands::ldb(s) + j;
                sum += operands.a[static_cast<size_t>(at)] * operands.b[static_cast<size_t>(bt)];
            }
            double& to = result[static_cast<size_t>(i * (s.n + 1) + j)];
            to = s.accumulate ? to + sum : sum;
        }
    }
    return result;
}

void check_all_shapes(DType dtype, DType out, MatmulOrder order) {
    Stream stream = Stream::cpu();
    for (const Shape& shape : kShapes) {
        CAPTURE(shape.m);
        CAPTURE(shape.k);
        Operands operands(dtype, out, shape);
        operands.args.order = order;
        const std::vector<double> expected = naive(operands, shape);
        Operands again = operands;
        again.args.a = again.a.data();
        again.args.b = again.b.data();
        again.args.c = again.c.data();
        if (shape.bias) again.args.bias = again.bias.data();
        cpu::matmul(stream, operands.args);
        cpu::matmul(stream, again.args);
        // Rounding of the result, plus a random walk of K roundings of the sum.
        const double sum_error = test::epsilon_of(test::accumulator_of(dtype));
        const double bound =
            2 * test::epsilon_of(out) + 4 * sum_error * std::sqrt(static_cast<double>(shape.k + 1));
        CHECK(test::relative_error(operands.c.values(), expected) <= bound);
        CHECK(operands.c == again.c);
    }
}

TEST_CASE("matmul: every type, transposition and edge equals the naive product") {
    check_all_shapes(DType::kF64, DType::kF64, MatmulOrder::kFastest);
    check_all_shapes(DType::kF32, DType::kF32, MatmulOrder::kFastest);
    check_all_shapes(DType::kF32, DType::kF32, MatmulOrder::kFixedOrder);
    check_all_shapes(DType::kBF16, DType::kBF16, MatmulOrder::kFastest);
    check_all_shapes(DType::kBF16, DType::kF32, MatmulOrder::kFastest);
    check_all_shapes(DType::kBF16, DType::kBF16, MatmulOrder::kFixedOrder);
    check_all_shapes(DType::kBF16, DType::kF32, MatmulOrder::kFixedOrder);
}

TEST_CASE("matmul: in fixed order the bits depend on neither threads nor the rest of the shape") {
    Stream stream = Stream::cpu();
    const Shape whole{200, 300, 500, false, true, false, false};
    Operands many(DType::kF32, DType::kF32, whole);
    many.args.order = MatmulOrder::kFixedOrder;
    cpu::matmul(stream, many.args);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    Operands one(DType::kF32, DType::kF32, whole);
    one.args.order = MatmulOrder::kFixedOrder;
    // The last row and 17 columns alone.
    one.args.m = 1;
    one.args.a = static_cast<const float*>(one.args.a) + 199 * one.args.lda;
    one.args.n = 17;
    cpu::matmul(stream, one.args);
    omp_set_num_threads(threads);
    for (size_t j = 0; j < 17; ++j) CHECK(one.c[j] == many.c[199 * 301 + j]);
}

TEST_CASE("matmul: wrong strides and mixed types are refused") {
    Stream stream = Stream::cpu();
    Operands operands(DType::kF32, DType::kF32, kShapes[1]);
    operands.args.ldc = 4;
    CHECK_THROWS_WITH_AS(cpu::matmul(stream, operands.args), doctest::Contains("row strides"),
                         Error);
    operands.args.ldc = 6;
    operands.args.out_dtype = DType::kF64;
    CHECK_THROWS_AS(cpu::matmul(stream, operands.args), Error);
}

}  // namespace
}  // namespace longhaul::kernels
