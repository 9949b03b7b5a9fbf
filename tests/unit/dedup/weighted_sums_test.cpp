// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/signature/weighted_sums.h"

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/simd_targets.h"

TEST_CASE("weighted sums: as written down, for every size and number of factors") {
    longhaul::test::for_each_simd_target([](const std::string& target) {
        CAPTURE(target);
        std::mt19937_64 random(4);
        uint64_t num_wrong = 0;
        for (size_t count = 0; count < 70; ++count) {
            for (const size_t num_factors : {1, 2, 5, 13}) {
                std::vector<uint64_t> values(count + num_factors - 1), factors(num_factors);
                for (uint64_t& value : values) value = random();
                for (uint64_t& factor : factors) factor = random();
                std::vector<uint64_t> expected(values);
                for (size_t i = 0; i < count; ++i) {
                    expected[i] = 0;
                    for (size_t j = 0; j < num_factors; ++j) {
                        expected[i] += values[i + j] * factors[j];
                    }
                }
                longhaul::dedup::weighted_sums(values.data(), count, factors);
                num_wrong += values == expected ? 0 : 1;
            }
        }
        CHECK(num_wrong == 0);
    });
}
