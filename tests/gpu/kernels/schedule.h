// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// schedule_host.cpp: the order in which the host scheduler runs threads and blocks.
// schedule_gpu.cpp: a GPU chooses for itself; each "schedule" is one more run.

namespace longhaul::kernels::test {

/// 3, or what LONGHAUL_HOST_SCHEDULES says: the race detector finds in one what it finds in three.
int num_schedules();
void choose_schedule(int number);

}  // namespace longhaul::kernels::test
