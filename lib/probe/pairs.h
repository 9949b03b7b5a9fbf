// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Pairwise bandwidth and latency: rounds in which all members are busy, led by rank 0 with a
// deadline, so that a member that hangs is named instead of hanging the probe.

#include <cstdint>
#include <string>
#include <vector>

#include "lib/probe/fabric.h"
#include "lib/probe/isolation.h"
#include "lib/probe/pair_matrix.h"

namespace longhaul::probe {

struct PairOptions {
    std::string unit = "auto";  // "host", "rank", or host when there is more than one
    uint64_t message_bytes = 16 << 20;
    int iterations = 10;  // timed bandwidth messages for each direction
    int latency_iterations = 100;
    double deadline_s = 30;  // for one round
    int max_retests = 8;     // suspects measured again with all others idle
    IsolationLimits limits;
};

/// Who takes part: world ranks, and their names in results.
struct Members {
    std::string unit;
    std::vector<int> ranks;
    std::vector<std::string> names;
};
/// With unit "host" the lowest rank of each host. @throws UsageError for an unknown unit.
Members choose_members(const std::vector<RankInfo>& ranks, const std::string& unit);

/// Collective over all ranks of the fabric. @return the matrix on rank 0, an empty one elsewhere.
/// When it names silent members, the world can not end in order any more: print, then abort().
PairMatrix measure_pairs(Fabric& fabric, const PairOptions& options);

}  // namespace longhaul::probe
