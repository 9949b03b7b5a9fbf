// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Tests that do work: each in a child with a deadline. They take seconds and disturb jobs, so they
// belong between jobs and into burn-in, not into a busy node's health check.

#include <cstdint>
#include <string>

#include "lib/health/check.h"

namespace longhaul::health {

struct ActiveOptions {
    double deadline_s = 30;     // for each test
    uint64_t memory_bytes = 0;  // pattern test; 0: a quarter of what is available, at most 4 GiB
    std::string tmp_dir = "/tmp";
    uint64_t file_bytes = 64 << 20;  // written and read back
};

/// Host memory, processors and the temporary disk.
Findings run_active(const ActiveOptions& options, const Snapshot& now);

/// A fixed chain of integer operations: every processor must give the same. Exposed for tests.
uint64_t compute_chain(uint64_t steps);

}  // namespace longhaul::health
