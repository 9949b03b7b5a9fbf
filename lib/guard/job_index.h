// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which run directory a job worked in, so that `job-guard explain JOBID` finds it after Slurm has
// forgotten the job: one small file a job in $XDG_STATE_HOME/longhaul/jobs (~/.local/state).

#include <filesystem>
#include <optional>
#include <string>

namespace longhaul::guard {

/// Failures are logged at debug level only: the index is a convenience.
void remember_job(const std::string& job_id, const std::filesystem::path& run);
std::optional<std::filesystem::path> run_of_job(const std::string& job_id);

}  // namespace longhaul::guard
