// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// schedule_host.cpp: the order in which the host scheduler runs threads and blocks.
// schedule_gpu.cpp: a GPU chooses for itself; each "schedule" is one more run.

namespace longhaul::kernels::test {

inline constexpr int kNumSchedules = 3;
void choose_schedule(int number);

}  // namespace longhaul::kernels::test
