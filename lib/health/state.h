// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the last run saw, so that counters are judged by their rise and log lines once. A damaged or
// missing state is as none: the checks still run.

#include <cstdint>
#include <map>
#include <string>

#include "lib/cluster/port_counters.h"
#include "lib/health/snapshot.h"

namespace longhaul::health {

struct State {
    bool exists = false;
    std::string problem;  // why the file could not be used; empty: absent or fine
    std::string boot_id;
    double unix_s = 0;
    int64_t last_sequence = -1;  // of the kernel log
    int64_t last_boot_us = -1;
    cluster::CounterReading counters;
    std::map<std::string, std::map<std::string, int64_t>> gpus;  // by UUID: key, count

    /// True for a line that the last run has not judged.
    bool is_new(const LogLine& line, const std::string& boot_id_now) const;
};

/// /var/lib/longhaul/gpu-health.json for root, else below $XDG_STATE_HOME or ~/.local/state.
std::string default_state_path();
State load_state(const std::string& path);
/// The state after `now` was judged.
State next_state(const Snapshot& now, const State& before);
/// @throws IoError
void save_state(const std::string& path, const State& state);

}  // namespace longhaul::health
