// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>

#include "tests/gpu/host_cuda/scheduler.h"
#include "tests/gpu/kernels/schedule.h"

namespace longhaul::kernels::test {

int num_schedules() {
    const char* text = std::getenv("LONGHAUL_HOST_SCHEDULES");
    return text == nullptr ? 3 : std::atoi(text);
}

void choose_schedule(int number) {
    constexpr host_cuda::Schedule kAll[] = {host_cuda::Schedule::kForward,
                                            host_cuda::Schedule::kReverse,
                                            host_cuda::Schedule::kShuffled};
    host_cuda::set_schedule(kAll[number]);
}

}  // namespace longhaul::kernels::test
