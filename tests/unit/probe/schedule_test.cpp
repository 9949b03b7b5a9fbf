// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/schedule.h"

#include <doctest/doctest.h>

#include <set>

using namespace longhaul::probe;

TEST_CASE("schedule: every pair once, everyone busy, for 1 to 65 members") {
    for (int n = 0; n <= 65; ++n) {
        const auto rounds = round_robin(n);
        const int expected_rounds = n < 2 ? 0 : (n % 2 == 0 ? n - 1 : n);
        CHECK(static_cast<int>(rounds.size()) == expected_rounds);
        std::set<Pair> seen;
        for (const Round& round : rounds) {
            std::set<int> busy;
            for (const auto& [a, b] : round) {
                CHECK(a >= 0);
                CHECK(a < b);
                CHECK(b < n);
                CHECK(busy.insert(a).second);
                CHECK(busy.insert(b).second);
                CHECK(seen.emplace(a, b).second);
            }
            CHECK(static_cast<int>(busy.size()) == n - n % 2);
        }
        CHECK(static_cast<int>(seen.size()) == (n < 2 ? 0 : n * (n - 1) / 2));
    }
}
