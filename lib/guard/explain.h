// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// job-guard explain: what happened to a job or a run, from RUN/faults.jsonl and RUN/exit.json.

#include <filesystem>
#include <optional>
#include <string>

#include "lib/guard/history.h"
#include "lib/guard/run_watch.h"
#include "lib/io/json_fwd.h"

namespace longhaul::guard {

/// Everything that explain tells, as text or JSON.
struct Explanation {
    std::filesystem::path run;
    std::vector<FaultEvent> events;
    size_t num_unreadable = 0;  // lines of faults.jsonl
    std::optional<uint64_t> newest_step;
    std::string job_state;  // of the last job, from Slurm; "" when it can not be told
};

/// @param job_or_run a run directory, or the id of a job that job-guard ran (on this account).
/// @throws UsageError when it is neither, DataError for a folder without a history
Explanation explain(const std::string& job_or_run);

/// A line per start and end, then a summary: how often, what cost, what to do.
std::string to_text(const Explanation& explanation);
io::Json to_json(const Explanation& explanation);

}  // namespace longhaul::guard
