// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// nccl-probe counters: two readings of the error counters of this host's ports, or of all hosts of
// the ranks, and what rose between them.

#include <optional>
#include <string>
#include <vector>

#include "lib/cluster/port_counters.h"
#include "lib/io/json_fwd.h"
#include "lib/record/finding.h"

namespace longhaul::probe {

struct CounterOptions {
    double interval_s = 10;  // between the two readings
    std::string since;       // a file of save: compare with that instead of waiting
    std::string save;        // write this reading, for a later --since
    std::string sys_root = "/";
};

/// Collective when started by a launcher: every host reports once. @return nothing on ranks other
/// than 0. @throws DataError for a bad `since` file
std::optional<std::vector<record::Finding>> run_counters(const CounterOptions& options);

/// @param host prefix of the subjects; empty: none.
std::vector<record::Finding> judge_counters(const cluster::CounterReading& before,
                                            const cluster::CounterReading& after,
                                            const std::string& host);
io::Json to_json(const cluster::CounterReading& reading);
cluster::CounterReading counter_reading_from_json(const io::Json& json, const std::string& source);

}  // namespace longhaul::probe
