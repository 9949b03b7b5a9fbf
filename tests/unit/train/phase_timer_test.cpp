// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/phase_timer.h"

#include <doctest/doctest.h>

namespace longhaul::train {
namespace {

TEST_CASE("phase_timer: the table has every phase and the rest") {
    PhaseTimer timer;
    CHECK(timer.time(Phase::kForward, [] { return 3; }) == 3);
    CHECK(timer.seconds(Phase::kForward) > 0);
    const std::string table = timer.table(2, 1.0);
    for (int i = 0; i < kNumPhases; ++i) {
        CHECK(table.find(name_of(static_cast<Phase>(i))) != std::string::npos);
    }
    CHECK(table.find("other") != std::string::npos);
}

}  // namespace
}  // namespace longhaul::train
