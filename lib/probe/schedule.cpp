// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/schedule.h"

#include <algorithm>

namespace longhaul::probe {

std::vector<Round> round_robin(int n) {
    std::vector<Round> rounds;
    if (n < 2) return rounds;
    const int seats = n + n % 2;  // for odd n the last seat is empty: its partner rests
    const int circle = seats - 1;
    for (int r = 0; r < circle; ++r) {
        Round round;
        const auto add = [&](int a, int b) {
            if (std::max(a, b) < n) round.emplace_back(std::min(a, b), std::max(a, b));
        };
        add(r, seats - 1);
        for (int i = 1; i < seats / 2; ++i) add((r + i) % circle, (r - i + circle) % circle);
        rounds.push_back(std::move(round));
    }
    return rounds;
}

}  // namespace longhaul::probe
