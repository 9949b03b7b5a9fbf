// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/attention.h"

#include <doctest/doctest.h>
#include <omp.h>

#include "tests/support/documents.h"
#include "tests/support/typed_values.h"

namespace longhaul::kernels {
namespace {

using tensor::DType;
using test::TypedValues;

/// Packed rows [q | k | v] as the model has them, and everything the two passes need.
struct Case {
    AttentionShape shape;
    int64_t columns, out_columns;
    TypedValues qkv, out, lse, grad_out, grad_qkv;
    std::vector<std::byte> scratch;
    std::vector<int32_t> begins;  // of the documents; empty: one a sequence

    Case(DType dtype, int64_t batch, int64_t length, int64_t heads, int64_t kv_heads, int64_t dim)
        : shape{dtype, batch, length, length, 0, heads, kv_heads, dim},
          columns((heads + 2 * kv_heads) * dim),
          out_columns(heads * dim),
          qkv(test::random_typed(dtype, batch * length * columns, 1, 2.0)),
          out(dtype, batch * length * out_columns),
          lse(test::accumulator_of(dtype), batch * heads * length),
          grad_out(test::random_typed(dtype, batch * length * out_columns, 2)),
          grad_qkv(dtype, batch * length * columns),
          scratch(cpu::attention_scratch_bytes(shape, true) +
                  cpu::attention_scratch_bytes(shape, false)) {}

    HeadLayout packed() const { return {shape.query_len * columns, columns}; }
    HeadLayout plain() const { return {shape.query_len * out_columns, out_columns}; }
    void* at(TypedValues& values, int64_t column) const {
        return static_cast<std::byte*>(values.data()) +
               column * static_cast<int64_t>(tensor::size_of(shape.dtype));
    }
    int64_t k_column() const { return shape.num_heads * shape.head_dim; }
    int64_t v_column() const { return (shape.num_heads + shape.num_kv_heads) * shape.head_dim; }
    double scale() const { return 1 / std::sqrt(static_cast<double>(shape.head_dim)); }

    void forward() {
        Stream stream = Stream::cpu();
        cpu::attention_forward(
            stream,
            {shape, scale(), qkv.data(), at(qkv, k_column()), at(qkv, v_column()), out.data(),
             packed(), packed(), plain(), lse.data(), scratch.data(), scratch.size(), documents()});
    }
    const int32_t* documents() const { return begins.empty() ? nullptr : begins.data(); }
    /// Cuts every sequence into documents of these lengths, over and over.
    void cut(const std::vector<int64_t>& lengths) {
        for (int64_t b = 0; b < shape.batch; ++b) {
            const auto pieces = test::document_begins(shape.query_len, lengths);
            begins.insert(begins.end(), pieces.begin(), pieces.end());
        }
    }
    void backward() {
        Stream stream = Stream::cpu();
        cpu::attention_backward(
            stream, {shape, scale(), qkv.data(), at(qkv, k_column()), at(qkv, v_column()),
                     out.data(), lse.data(), grad_out.data(), grad_qkv.data(),
                     at(grad_qkv, k_column()), at(grad_qkv, v_column()), packed(), packed(),
                     plain(), packed(), packed(), scratch.data(), scratch.size(), documents()});
    }
    double value(int64_t b, int64_t t, int64_t column) const {
        return qkv[static_cast<size_t>((b * shape.query_len + t) * columns + column)];
    }
};

/// Row t of head h by the formula of kernels/attention.h, in f64.
void naive_row(const Case& c, int64_t b, int64_t h, int64_t t, double* out, double* lse) {
    const int64_t dim = c.shape.head_dim;
    const int64_t kv = h / (c.shape.num_heads / c.shape.num_kv_heads);
    const int64_t begin =
        c.begins.empty() ? 0 : c.begins[static_cast<size_t>(b * c.shape.query_len + t)];
    std::vector<double> weights(static_cast<size_t>(t + 1));
    double largest = -HUGE_VAL;
    for (int64_t s = begin; s <= t; ++s) {
        double score = 0;
        for (int64_t i = 0; i < dim; ++i) {
            score += c.value(b, t, h * dim + i) * c.value(b, s, c.k_column() + kv * dim + i);
        }
        weights[static_cast<size_t>(s)] = score * c.scale();
        largest = std::max(largest, weights[static_cast<size_t>(s)]);
    }
    double sum = 0;
    for (int64_t s = begin; s <= t; ++s) {
        double& weight = weights[static_cast<size_t>(s)];
        sum += weight = std::exp(weight - largest);
    }
    std::fill(out, out + dim, 0.0);
    for (int64_t s = begin; s <= t; ++s) {
        for (int64_t i = 0; i < dim; ++i) {
            out[i] +=
                weights[static_cast<size_t>(s)] / sum * c.value(b, s, c.v_column() + kv * dim + i);
        }
    }
    *lse = largest + std::log(sum);
}

void check_forward(DType dtype, int64_t length, int64_t heads, int64_t kv_heads, int64_t dim,
                   const std::vector<int64_t>& documents = {}) {
    CAPTURE(length);
    CAPTURE(dim);
    Case c(dtype, 2, length, heads, kv_heads, dim);
    if (!documents.empty()) c.cut(documents);
    c.forward();
    std::vector<double> expected(c.out.count()), lse(c.lse.count());
    for (int64_t b = 0; b < 2; ++b) {
        for (int64_t t = 0; t < length; ++t) {
            for (int64_t h = 0; h < heads; ++h) {
                naive_row(
                    c, b, h, t,
                    &expected[static_cast<size_t>((b * length + t) * c.out_columns + h * dim)],
                    &lse[static_cast<size_t>((b * heads + h) * length + t)]);
            }
        }
    }
    const double sums = 64 * test::epsilon_of(test::accumulator_of(dtype));
    CHECK(test::relative_error(c.out.values(), expected) <= test::epsilon_of(dtype) + sums);
    CHECK(test::relative_error(c.lse.values(), lse) <= sums);
    const TypedValues first = c.out;
    c.forward();
    CHECK(first == c.out);
}

TEST_CASE("attention: forward equals softmax(q k) v for odd lengths, dims and groups") {
    for (const DType dtype : {DType::kF64, DType::kF32, DType::kBF16}) {
        check_forward(dtype, 1, 1, 1, 2);
        check_forward(dtype, 63, 2, 2, 7);
        check_forward(dtype, 65, 4, 2, 64);
        check_forward(dtype, 130, 6, 1, 40);
        check_forward(dtype, 70, 1, 1, 128);
    }
}

void check_gradient(Case& c) {
    c.forward();
    c.backward();
    const std::vector<double> weights = c.grad_out.values();
    const auto loss = [&] {
        c.forward();
        return test::dot(c.out, weights);
    };
    const std::vector<double> numeric = test::numeric_gradient(c.qkv, loss);
    CHECK(test::relative_error(c.grad_qkv.values(), numeric) <= 1e-8);
}

// Documents that fit in a tile, that begin and end at its border, that span several; of one token.
const std::vector<std::vector<int64_t>> kDocuments = {{1},      {3, 1, 7}, {64},    {63, 65},
                                                      {100, 2}, {1, 127},  {5, 300}};

TEST_CASE("attention: with documents, queries see the keys of their own only") {
    for (const DType dtype : {DType::kF64, DType::kF32, DType::kBF16}) {
        for (const std::vector<int64_t>& documents : kDocuments) {
            CAPTURE(documents.front());
            check_forward(dtype, 200, 2, 1, 8, documents);
        }
    }
}

TEST_CASE("attention: backward equals finite differences with documents") {
    for (const std::vector<int64_t>& documents :
         {std::vector<int64_t>{3, 1, 7}, {63, 5}, {64}, {66, 200}}) {
        CAPTURE(documents.front());
        Case c(DType::kF64, 1, 75, 2, 1, 3);
        c.cut(documents);
        check_gradient(c);
    }
}

TEST_CASE("attention: one document a sequence changes no bit") {
    Case plain(DType::kF32, 2, 130, 4, 2, 16), cut(DType::kF32, 2, 130, 4, 2, 16);
    cut.cut({130});
    plain.forward();
    plain.backward();
    cut.forward();
    cut.backward();
    CHECK(plain.out == cut.out);
    CHECK(plain.lse == cut.lse);
    CHECK(plain.grad_qkv == cut.grad_qkv);
}

TEST_CASE("attention: documents in a sequence that continues are refused") {
    Case c(DType::kF32, 1, 9, 1, 1, 8);
    c.cut({4});
    c.shape.query_len = 5;
    c.shape.first_query = 4;
    CHECK_THROWS_WITH_AS(c.forward(), doctest::Contains("continues at position 4"), Error);
}

TEST_CASE("attention: backward equals finite differences, also across tiles and groups") {
    for (const int64_t length : {5, 66}) {
        Case c(DType::kF64, 1, length, 2, 1, 3);
        check_gradient(c);
    }
}

TEST_CASE("attention: backward in f32 and bf16 is as near to f64 as its type allows") {
    Case exact(DType::kF64, 2, 70, 4, 2, 16);
    for (const DType dtype : {DType::kF32, DType::kBF16}) {
        Case c(dtype, 2, 70, 4, 2, 16);
        exact.qkv = TypedValues(DType::kF64, c.qkv.values());
        exact.grad_out = TypedValues(DType::kF64, c.grad_out.values());
        exact.forward();
        exact.backward();
        c.forward();
        c.backward();
        const double bound = 64 * test::epsilon_of(DType::kF32) + 4 * test::epsilon_of(dtype);
        CHECK(test::relative_error(c.grad_qkv.values(), exact.grad_qkv.values()) <= bound);
    }
}

TEST_CASE("attention: bits do not depend on the number of threads") {
    const int threads = omp_get_max_threads();
    omp_set_num_threads(3);
    Case many(DType::kF32, 2, 100, 4, 2, 16);
    many.forward();
    many.backward();
    omp_set_num_threads(1);
    Case one(DType::kF32, 2, 100, 4, 2, 16);
    one.forward();
    one.backward();
    omp_set_num_threads(threads);
    CHECK(many.out == one.out);
    CHECK(many.grad_qkv == one.grad_qkv);
}

TEST_CASE("attention: continuing with cached keys equals the whole sequence") {
    const int64_t length = 90, split = 70;
    Case c(DType::kF64, 1, length, 4, 2, 8);
    c.forward();
    AttentionShape shape = c.shape;
    shape.query_len = length - split;
    shape.first_query = split;
    TypedValues out(DType::kF64, (length - split) * c.out_columns);
    Stream stream = Stream::cpu();
    cpu::attention_forward(
        stream, {shape, c.scale(), c.at(c.qkv, split * c.columns), c.at(c.qkv, c.k_column()),
                 c.at(c.qkv, c.v_column()), out.data(), c.packed(), c.packed(), c.plain(), nullptr,
                 c.scratch.data(), c.scratch.size()});
    for (size_t i = 0; i < out.count(); ++i) {
        CHECK(
            out[i] ==
            doctest::Approx(c.out[static_cast<size_t>(split * c.out_columns) + i]).epsilon(1e-13));
    }
}

TEST_CASE("attention: a NaN in the input is not hidden") {
    Case c(DType::kF32, 1, 70, 1, 1, 8);
    c.qkv.set(static_cast<size_t>(3 * c.columns), std::nan(""));  // q of token 3
    c.forward();
    CHECK(std::isnan(c.out[3 * 8]));
    CHECK(std::isfinite(c.out[2 * 8]));
    c.qkv.set(static_cast<size_t>(3 * c.columns), 0.0);
    c.qkv.set(static_cast<size_t>(3 * c.columns + 8), std::nan(""));  // its key: seen from 3 on
    c.forward();
    CHECK(std::isnan(c.out[69 * 8]));
    CHECK(std::isfinite(c.out[2 * 8]));
}

TEST_CASE("attention: short scratch is refused") {
    Case c(DType::kF32, 1, 5, 1, 1, 8);
    c.scratch.resize(10);
    CHECK_THROWS_WITH_AS(c.forward(), doctest::Contains("bytes of scratch"), Error);
}

}  // namespace
}  // namespace longhaul::kernels
