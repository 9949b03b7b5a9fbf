// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/signature/sort_set.h"

#include <algorithm>
#include <random>
#include <vector>

#include <doctest/doctest.h>

TEST_CASE("sort_unique: equals the standard library's, for every size and kind of values") {
    std::mt19937_64 random(9);
    uint64_t num_wrong = 0;
    for (size_t size = 0; size < 3000; size = size < 300 ? size + 1 : size + size / 7) {
        // Few values, many, only the ends of the range, and an order that exists already.
        for (int kind = 0; kind < 4; ++kind) {
            std::vector<uint64_t> values;
            for (size_t i = 0; i < size; ++i) {
                const uint64_t draw = random();
                values.push_back(kind == 0   ? draw % 7
                                 : kind == 1 ? draw
                                 : kind == 2 ? uint64_t{0} - draw % 2
                                             : i);
            }
            std::vector<uint64_t> expected = values;
            std::sort(expected.begin(), expected.end());
            expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
            const auto found = longhaul::dedup::sort_unique(values);
            num_wrong +=
                std::equal(found.begin(), found.end(), expected.begin(), expected.end()) ? 0 : 1;
        }
    }
    CHECK(num_wrong == 0);
}
