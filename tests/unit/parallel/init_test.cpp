// SPDX-License-Identifier: BSD-3-Clause
#include "lib/parallel/init.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

namespace longhaul::parallel {
namespace {

StorageSlice slice_of(tensor::Box box, int64_t first, int64_t count) {
    return {"h.0.w", {40, 50}, {std::move(box), first, count}, 0};
}

std::vector<double> values(const Init& init, const StorageSlice& slice, uint64_t seed = 1) {
    std::vector<double> out(static_cast<size_t>(slice.slice.count));
    init_values(init, slice, seed, out);
    return out;
}

TEST_CASE("init: any slice holds the values of the whole tensor") {
    const auto whole = values(Init::normal(0.02), slice_of({{0, 0}, {40, 50}}, 0, 2000));
    const auto part = values(Init::normal(0.02), slice_of({{7, 11}, {5, 9}}, 4, 33));
    for (int64_t i = 0; i < 33; ++i) {
        const int64_t row = 7 + (4 + i) / 9, column = 11 + (4 + i) % 9;
        CHECK(part[static_cast<size_t>(i)] == whole[static_cast<size_t>(row * 50 + column)]);
    }
    CHECK(values(Init::normal(0.02), slice_of({{0, 0}, {40, 50}}, 0, 2000), 2) != whole);
}

TEST_CASE("init: mean and deviation of the normal laws; the cut holds") {
    const auto slice = slice_of({{0, 0}, {40, 50}}, 0, 2000);
    const auto normal = values(Init::normal(0.5), slice);
    const double mean = std::accumulate(normal.begin(), normal.end(), 0.0) / 2000;
    double square = 0;
    for (const double x : normal) square += x * x;
    CHECK(std::abs(mean) < 3 * 0.5 / std::sqrt(2000.0));  // three standard errors
    CHECK(std::sqrt(square / 2000) == doctest::Approx(0.5).epsilon(0.05));
    for (const double x : values({Init::Law::kTruncatedNormal, 0.5, 1.0}, slice)) {
        CHECK(std::abs(x) <= 0.5);
    }
    CHECK(values(Init::ones(), slice)[3] == 1);
    CHECK(values(Init::zeros(), slice)[3] == 0);
}

}  // namespace
}  // namespace longhaul::parallel
