// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Runs a test once for every SIMD target that was compiled and that this machine has.

#include <string>

#include <doctest/doctest.h>
#include <hwy/targets.h>

#include "lib/dedup/signature/minhash.h"

namespace longhaul {

template <class Test>
void for_each_simd_target(Test&& test) {
    hwy::SetSupportedTargetsForTest(0);
    const int64_t all = hwy::SupportedTargets() & HWY_TARGETS;
    int tested = 0;
    for (int64_t left = all; left != 0; left &= left - 1) {
        const int64_t target = left & -left;
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        const std::string name = dedup::simd_target();
        CAPTURE(name);
        CHECK(name == hwy::TargetName(target));
        test();
        ++tested;
    }
    CHECK(tested > 0);
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace longhaul
