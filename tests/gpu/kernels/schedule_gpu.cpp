// SPDX-License-Identifier: BSD-3-Clause
#include "tests/gpu/kernels/schedule.h"

namespace longhaul::kernels::test {

void choose_schedule(int) {}

}  // namespace longhaul::kernels::test
