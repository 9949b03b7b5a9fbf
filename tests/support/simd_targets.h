// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Runs a test with every SIMD target that this machine has, not only the best one.

#include <cstdint>
#include <string>

#include <hwy/targets.h>

namespace longhaul::test {

template <class Body>
void for_each_simd_target(Body body) {
    hwy::SetSupportedTargetsForTest(0);
    for (int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
        hwy::SetSupportedTargetsForTest(left & -left);
        hwy::GetChosenTarget().Update(left & -left);
        body(std::string(hwy::TargetName(left & -left)));
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace longhaul::test
