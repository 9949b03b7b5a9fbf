// SPDX-License-Identifier: BSD-3-Clause
#include <sched.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "lib/cli/command.h"

namespace longhaul::cli {

namespace {

/// CPUs that this process may run on; at least 1.
int affinity_cpus() {
    cpu_set_t set;
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return std::max(1, CPU_COUNT(&set));
}

}  // namespace

int resolve_threads(int threads) {
    if (threads > 0) return threads;
    if (const char* text = std::getenv("SLURM_CPUS_PER_TASK")) {
        int cpus = 0;
        const char* end = text + std::strlen(text);
        if (std::from_chars(text, end, cpus).ptr == end && cpus > 0) return cpus;
    }
    return affinity_cpus();
}

}  // namespace longhaul::cli
