// SPDX-License-Identifier: BSD-3-Clause
// LONGHAUL_TEST_SIMD=avx2 or scalar runs the kernel tests with the code for a lesser CPU.

#include <cstdlib>
#include <string_view>

#include <hwy/targets.h>

namespace {

const bool kChosen = [] {
    const char* name = std::getenv("LONGHAUL_TEST_SIMD");
    if (name == nullptr) return false;
    const int64_t best = std::string_view(name) == "avx2" ? HWY_AVX2 : HWY_SCALAR;
    hwy::SetSupportedTargetsForTest(best | HWY_SCALAR);
    return true;
}();

}  // namespace
