// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/order.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "lib/base/error.h"

using namespace longhaul;
using namespace longhaul::shards;

TEST_CASE("order: a permutation shows every element once, for every size up to 600") {
    for (uint64_t size = 1; size <= 600; ++size) {
        const Permutation permutation(size, 7, 1);
        std::vector<bool> seen(size, false);
        for (uint64_t i = 0; i < size; ++i) {
            const uint64_t at = permutation(i);
            REQUIRE(at < size);
            REQUIRE_FALSE(seen[at]);
            seen[at] = true;
        }
    }
}

TEST_CASE("order: neighbours are uncorrelated after the permutation") {
    constexpr uint64_t kSize = 100003;
    const Permutation permutation(kSize, 42, 5);
    double sum = 0;
    for (uint64_t i = 0; i + 1 < kSize; ++i) {
        const double a = static_cast<double>(permutation(i)) / kSize - 0.5;
        const double b = static_cast<double>(permutation(i + 1)) / kSize - 0.5;
        sum += a * b;
    }
    const double correlation = sum / kSize * 12;
    CHECK(std::abs(correlation) < 5 / std::sqrt(static_cast<double>(kSize)));  // 5 sigma
}

TEST_CASE("order: seed, epoch and data set each give another order") {
    const SampleOrder base(100001, 100, 1, Hash128{1, 2}), seed(100001, 100, 2, Hash128{1, 2}),
        data(100001, 100, 1, Hash128{1, 3});
    CHECK(base.num_windows() == 1000);
    int equal_seed = 0, equal_data = 0, equal_epoch = 0;
    for (uint64_t i = 0; i < 1000; ++i) {
        equal_seed += base.window(i) == seed.window(i);
        equal_data += base.window(i) == data.window(i);
        equal_epoch += base.window(i) == base.window(1000 + i);
    }
    CHECK(equal_seed < 10);
    CHECK(equal_data < 10);
    CHECK(equal_epoch < 10);
}

TEST_CASE("order: the values are frozen, a resumed run depends on them") {
    const SampleOrder order(1'000'001, 1000, 1234, Hash128{0x0123456789abcdef, 0xfedcba9876543210});
    std::vector<uint64_t> windows;
    for (uint64_t i = 0; i < 8; ++i) windows.push_back(order.window(i));
    CHECK(windows == std::vector<uint64_t>{53, 254, 536, 600, 223, 713, 75, 469});
    CHECK(order.first_token(0) == windows[0] * 1000);
}

TEST_CASE("order: too little data is a usage error") {
    CHECK_THROWS_AS(SampleOrder(100, 100, 1, {}), UsageError);
    CHECK(SampleOrder(101, 100, 1, {}).window(12345) == 0);
}
