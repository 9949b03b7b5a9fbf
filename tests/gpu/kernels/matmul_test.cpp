// SPDX-License-Identifier: BSD-3-Clause
// Matrix products: our own kernel, and the call of cuBLASLt (on the host: its double).
#include "kernels/matmul.h"

#include "lib/base/error.h"
#include "tests/gpu/kernels/kernel_test.h"

namespace longhaul::kernels::test {

namespace {

struct Problem {
    int64_t m, n, k;
    bool transpose_a = false, transpose_b = false;
    bool want_bias = false, accumulate = false;
    int64_t padding = 0;  // added to every row stride
    MatmulOrder order = MatmulOrder::kFastest;
};

template <class T, class Out>
struct Inputs {
    MatmulArgs args;
    std::vector<T> a, b, bias;
    std::vector<Out> c;

    explicit Inputs(const Problem& p) {
        args = {.dtype = kDType<T>,
                .out_dtype = kDType<Out>,
                .m = p.m,
                .n = p.n,
                .k = p.k,
                .transpose_a = p.transpose_a,
                .transpose_b = p.transpose_b,
                .lda = (p.transpose_a ? p.m : p.k) + p.padding,
                .ldb = (p.transpose_b ? p.k : p.n) + p.padding,
                .ldc = p.n + p.padding,
                .accumulate = p.accumulate,
                .order = p.order};
        a = random_values<T>((p.transpose_a ? p.k : p.m) * args.lda, 1, 31);
        b = random_values<T>((p.transpose_b ? p.n : p.k) * args.ldb, 1, 32);
        c = random_values<Out>(p.m * args.ldc, 1, 33);
        if (p.want_bias) bias = random_values<T>(p.n, 1, 34);
    }
};

template <class Out>
struct Outputs {
    std::vector<Out> c;
    Hash128 hash() const { return hash_of(c); }
};

/// `shift` elements lie before each matrix in its buffer.
template <class T, class Out>
Outputs<Out> run(Device& device, const Inputs<T, Out>& in, int shift = 0) {
    const auto shifted = [&](auto values) {
        values.insert(values.begin(), shift, typename decltype(values)::value_type{});
        return values;
    };
    const auto a_values = shifted(in.a), b_values = shifted(in.b);
    const auto c_values = shifted(in.c);
    const auto a = device.upload(a_values), b = device.upload(b_values);
    const auto bias = device.upload(in.bias);
    const auto c = device.upload(c_values);
    MatmulArgs args = in.args;
    args.a = a.data() + shift;
    args.b = b.data() + shift;
    args.bias = bias.data();
    args.c = c.data() + shift;
    cuda::matmul(device.stream(), args);
    auto result = device.download(c);
    result.erase(result.begin(), result.begin() + shift);
    return {result};
}

/// kernels/matmul.h in fp64; elements of C outside (M, N) stay.
template <class T, class Out>
std::vector<double> reference(const Inputs<T, Out>& in) {
    const MatmulArgs& g = in.args;
    std::vector<double> c = widen_all(in.c);
    for (int64_t row = 0; row < g.m; ++row) {
        for (int64_t column = 0; column < g.n; ++column) {
            double sum = in.bias.empty() ? 0 : to_double(in.bias[column]);
            for (int64_t k = 0; k < g.k; ++k) {
                sum += to_double(in.a[g.transpose_a ? k * g.lda + row : row * g.lda + k]) *
                       to_double(in.b[g.transpose_b ? column * g.ldb + k : k * g.ldb + column]);
            }
            double& out = c[row * g.ldc + column];
            out = g.accumulate ? out + sum : sum;
        }
    }
    return c;
}

template <class T, class Out>
void check_product(const Problem& problem) {
    CAPTURE(problem.m);
    CAPTURE(problem.n);
    CAPTURE(problem.k);
    CAPTURE(problem.transpose_a);
    CAPTURE(problem.transpose_b);
    const Inputs<T, Out> in(problem);
    const auto got = in_all_schedules([&](Device& device) { return run(device, in); });
    const double tolerance =
        2 * kHalfUlp<Out> + 4 * kHalfUlp<Accumulator<T>> * std::sqrt(double(problem.k));
    check_close("c", got.c, reference(in), tolerance, std::sqrt(double(problem.k)));
}

template <class T, class Out>
void check_layouts(MatmulOrder order) {
    for (const bool transpose_a : {false, true}) {
        for (const bool transpose_b : {false, true}) {
            Problem p{.m = 33,
                      .n = 40,
                      .k = 17,
                      .transpose_a = transpose_a,
                      .transpose_b = transpose_b,
                      .order = order};
            check_product<T, Out>(p);
            p.padding = 3;  // odd strides: rows that are aligned to one element only
            p.want_bias = true;
            check_product<T, Out>(p);
            p.want_bias = false;
            p.accumulate = true;
            check_product<T, Out>(p);
        }
    }
    check_product<T, Out>({.m = 1, .n = 1, .k = 1, .order = order});
    check_product<T, Out>({.m = 5, .n = 70, .k = 64, .transpose_b = true, .order = order});
}

}  // namespace

TEST_CASE("cuda matmul: cuBLASLt, all layouts, bias, accumulation") {
    check_layouts<float, float>(MatmulOrder::kFastest);
    check_layouts<BFloat16, BFloat16>(MatmulOrder::kFastest);
    check_layouts<BFloat16, float>(MatmulOrder::kFastest);
}

TEST_CASE("cuda matmul: fixed order, all layouts, bias, accumulation") {
    check_layouts<float, float>(MatmulOrder::kFixedOrder);
    check_layouts<BFloat16, BFloat16>(MatmulOrder::kFixedOrder);
    check_layouts<BFloat16, float>(MatmulOrder::kFixedOrder);
    check_layouts<double, double>(MatmulOrder::kFastest);  // f64 is always in fixed order
}

TEST_CASE("cuda matmul: in fixed order bits depend on K alone") {
    const Problem whole{.m = 70, .n = 50, .k = 45, .order = MatmulOrder::kFixedOrder};
    const Inputs<float, float> all(whole);
    Device device;
    const auto want = run(device, all).c;
    Inputs<float, float> part = all;  // the last 6 rows and the first 10 columns alone
    part.args.m = 6;
    part.args.n = 10;
    part.a.erase(part.a.begin(), part.a.begin() + 64 * all.args.lda);
    part.c.resize(6 * all.args.ldc);
    const auto got = run(device, part).c;
    for (int64_t row = 0; row < 6; ++row) {
        for (int64_t column = 0; column < 10; ++column) {
            REQUIRE(got[row * 50 + column] == want[(64 + row) * 50 + column]);
        }
    }
}

TEST_CASE("cuda matmul: matrices aligned to one element") {
    const Inputs<BFloat16, BFloat16> in({.m = 8, .n = 16, .k = 24, .transpose_b = true});
    Device device;
    for (const int shift : {1, 3, 8}) {  // a plan of its own each
        CAPTURE(shift);
        check_close("c", run(device, in, shift).c, reference(in), 3 * kHalfUlp<BFloat16>, 5);
    }
}

TEST_CASE("cuda matmul: no inner dimension gives the bias, or what was there") {
    check_product<float, float>({.m = 3, .n = 4, .k = 0, .want_bias = true});
    check_product<float, float>({.m = 3, .n = 4, .k = 0, .accumulate = true});
}

TEST_CASE("cuda matmul: bad arguments are named") {
    Device device;
    Inputs<float, float> in({.m = 2, .n = 3, .k = 4});
    in.args.lda = 3;
    CHECK_THROWS_WITH(run(device, in), "matmul: lda is shorter than a row of A");
    Inputs<float, float> both({.m = 2, .n = 3, .k = 4, .want_bias = true, .accumulate = true});
    CHECK_THROWS_WITH(run(device, both), "matmul: bias excludes accumulate");
}

}  // namespace longhaul::kernels::test
