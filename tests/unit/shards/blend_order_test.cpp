// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/blend_order.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lib/base/error.h"
#include "lib/base/philox.h"
#include "lib/shards/sample_settings.h"

using namespace longhaul;
using namespace longhaul::shards;

namespace {

__extension__ using Wide = __int128;

/// Counts samples [0, count) and checks after each one, in whole numbers, that every set is less
/// than one sample away from its share: |given * sum - share * shown| < sum.
void check_running_error(const BlendOrder& order, uint64_t count) {
    const auto shares = order.shares();
    const auto sum = static_cast<Wide>(std::accumulate(shares.begin(), shares.end(), uint64_t{0}));
    std::vector<uint64_t> given(shares.size(), 0);
    bool is_near = true, counts_up = true;
    for (uint64_t sample = 0; sample < count; ++sample) {
        const BlendPlace place = order.locate(sample);
        counts_up &= place.own == given[place.set]++;
        for (size_t set = 0; set < shares.size(); ++set) {
            const Wide ahead = given[set] * sum - static_cast<Wide>(shares[set]) * (sample + 1);
            is_near &= ahead < sum && -ahead < sum;
        }
    }
    CHECK(is_near);
    CHECK(counts_up);
}

std::vector<double> random_weights(size_t count, uint32_t number, bool are_whole) {
    std::vector<double> weights;
    for (size_t i = 0; i < count; ++i) {
        const auto draw = philox_draw({7, RandomPurpose::kTest, number, 0}, i).word[0];
        // Spread over three powers of ten: large next to small shares.
        const double weight = std::exp(draw / 4294967296.0 * 7);
        weights.push_back(are_whole ? std::ceil(weight) : weight);
    }
    return weights;
}

}  // namespace

TEST_CASE("blend order: below one sample of running error at every point, whole numbers") {
    for (const std::vector<double>& weights :
         std::vector<std::vector<double>>{{1},
                                          {1, 1},
                                          {5, 3, 2},
                                          {1, 1, 1, 1, 1, 1, 1},
                                          {0.7, 0.2, 0.1},
                                          {1000, 1},
                                          {49, 49, 2},
                                          {1, 1, 1, 1, 96},
                                          {0.333, 0.333, 0.334},
                                          {100, 1, 1, 1, 1},
                                          {1e-3, 1}}) {
        const auto order = make_blend_order(weights, kExactBlend);
        const auto shares = order->shares();
        const uint64_t sum = std::accumulate(shares.begin(), shares.end(), uint64_t{0});
        check_running_error(*order, 2 * sum + 7);
        for (size_t i = 0; i < weights.size(); ++i) {  // kept exactly
            const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
            CHECK(static_cast<double>(shares[i]) / static_cast<double>(sum) ==
                  doctest::Approx(weights[i] / total).epsilon(1e-12));
        }
    }
    for (uint32_t number = 0; number < 60; ++number) {
        const auto weights = random_weights(2 + number % 23, number, true);
        check_running_error(*make_blend_order(weights, kExactBlend), 3000);
    }
}

TEST_CASE("blend order: weights that are no short decimals are rounded to one in four million") {
    for (uint32_t number = 0; number < 3; ++number) {
        const auto weights = random_weights(2 + 3 * number, number, false);
        const auto order = make_blend_order(weights, kExactBlend);
        const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
        CHECK(std::accumulate(order->shares().begin(), order->shares().end(), uint64_t{0}) ==
              kMostSlots);
        for (size_t i = 0; i < weights.size(); ++i) {
            const double share = static_cast<double>(order->shares()[i]) / kMostSlots;
            CHECK(std::abs(share - weights[i] / total) < 1.0 / kMostSlots);
        }
        check_running_error(*order, 20000);
    }
}

TEST_CASE("blend order: any sample may be asked first, and far away") {
    const auto order = make_blend_order(std::vector<double>{3, 5, 11}, kExactBlend);
    for (const uint64_t rounds : {uint64_t{1}, uint64_t{1} << 40}) {
        for (uint64_t i = 0; i < 19; ++i) {
            const BlendPlace near = order->locate(i), far = order->locate(rounds * 19 + i);
            CHECK(far.set == near.set);
            CHECK(far.own == near.own + rounds * order->shares()[near.set]);
        }
    }
}

TEST_CASE("blend order: the values are frozen, a resumed run depends on them") {
    const auto sets = [](int64_t version) {
        const auto order = make_blend_order(std::vector<double>{5, 3, 2}, version);
        std::vector<size_t> list;
        for (uint64_t i = 0; i < 20; ++i) list.push_back(order->locate(i).set);
        return list;
    };
    CHECK(sets(kExactBlend) ==
          std::vector<size_t>{0, 1, 0, 2, 0, 1, 0, 1, 0, 2, 0, 1, 0, 2, 0, 1, 0, 1, 0, 2});
    CHECK(sets(kOldBlend) ==
          std::vector<size_t>{0, 1, 2, 0, 0, 1, 2, 0, 0, 1, 2, 0, 0, 1, 2, 0, 0, 1, 0, 1});
}

TEST_CASE("blend order: bad weights are refused") {
    for (const std::vector<double>& weights : std::vector<std::vector<double>>{
             {}, {0}, {1, -1}, {1, NAN}, {INFINITY}, {1, 1e-9}, {1e15, 1}}) {
        CHECK_THROWS_AS(make_blend_order(weights, kExactBlend), UsageError);
    }
}
