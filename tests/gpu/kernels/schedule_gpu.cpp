// SPDX-License-Identifier: BSD-3-Clause
#include "tests/gpu/kernels/schedule.h"

namespace longhaul::kernels::test {

int num_schedules() {
    return 3;
}

void choose_schedule(int) {}

}  // namespace longhaul::kernels::test
