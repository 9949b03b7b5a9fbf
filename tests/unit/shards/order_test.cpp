// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/order.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
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
    const SampleOrder base(1000, 1, Hash128{1, 2}), seed(1000, 2, Hash128{1, 2}),
        data(1000, 1, Hash128{1, 3});
    int equal_seed = 0, equal_data = 0, equal_epoch = 0;
    for (uint64_t i = 0; i < 1000; ++i) {
        equal_seed += base.item(i) == seed.item(i);
        equal_data += base.item(i) == data.item(i);
        equal_epoch += base.item(i) == base.item(1000 + i);
    }
    CHECK(equal_seed < 10);
    CHECK(equal_data < 10);
    CHECK(equal_epoch < 10);
}

TEST_CASE("order: the values are frozen, a resumed run depends on them") {
    constexpr Hash128 kData{0x0123456789abcdef, 0xfedcba9876543210};
    const auto first = [&](const SampleSettings& settings) {
        const SampleOrder order(num_windows(1'000'001, 1000), 1234, kData, settings);
        std::vector<uint64_t> items;
        for (uint64_t i = 0; i < 8; ++i) items.push_back(order.item(i));
        return items;
    };
    SampleSettings settings;
    CHECK(first(settings) == std::vector<uint64_t>{53, 254, 536, 600, 223, 713, 75, 469});
    settings.order = OrderKind::kSequential;
    CHECK(first(settings) == std::vector<uint64_t>{0, 1, 2, 3, 4, 5, 6, 7});
    settings.order = OrderKind::kBlock;
    settings.order_block = 10;
    settings.order_window = 4;
    CHECK(first(settings) == std::vector<uint64_t>{267, 274, 121, 118, 268, 266, 269, 279});
}

TEST_CASE("order: by blocks, every item once an epoch, each window in stretches of a block") {
    for (const auto& [items, block, window] :
         {std::tuple<uint64_t, uint64_t, uint64_t>{1000, 10, 4},
          {1003, 10, 4},
          {7, 10, 4},
          {97, 1, 5},
          {64, 64, 1},
          {65, 64, 3},
          {1, 1, 1}}) {
        SampleSettings settings;
        settings.order = OrderKind::kBlock;
        settings.order_block = block;
        settings.order_window = window;
        const SampleOrder order(items, 5, Hash128{1, 9}, settings);
        for (uint64_t epoch = 0; epoch < 3; ++epoch) {
            std::vector<int> seen(items, 0);
            for (uint64_t i = 0; i < items; ++i) {
                const uint64_t sample = epoch * items + i;
                const uint64_t item = order.item(sample);
                REQUIRE(item < items);
                ++seen[item];
                bool is_in_window = false;
                uint64_t in_window = 0;
                for (const ItemRange& range : order.window_items(sample)) {
                    is_in_window |= item >= range.first && item < range.first + range.count;
                    in_window += range.count;
                    REQUIRE(range.count <= block);
                }
                REQUIRE(is_in_window);
                REQUIRE(in_window <= block * window);
            }
            REQUIRE(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
        }
    }
}

TEST_CASE("order: too little data is a usage error") {
    CHECK_THROWS_AS(num_windows(100, 100), UsageError);
    CHECK_THROWS_AS(num_windows(0, 1), UsageError);
    CHECK(num_windows(101, 100) == 1);
    CHECK(num_windows(100001, 100) == 1000);
    CHECK(SampleOrder(1, 1, {}).item(12345) == 0);
}
