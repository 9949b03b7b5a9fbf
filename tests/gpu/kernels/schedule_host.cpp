// SPDX-License-Identifier: BSD-3-Clause
#include "tests/gpu/host_cuda/scheduler.h"
#include "tests/gpu/kernels/schedule.h"

namespace longhaul::kernels::test {

void choose_schedule(int number) {
    constexpr host_cuda::Schedule kAll[kNumSchedules] = {host_cuda::Schedule::kForward,
                                                         host_cuda::Schedule::kReverse,
                                                         host_cuda::Schedule::kShuffled};
    host_cuda::set_schedule(kAll[number]);
}

}  // namespace longhaul::kernels::test
