// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// job-guard check: what this site's Slurm would not let a run survive, and why, before the run.

#include <filesystem>
#include <optional>
#include <vector>

#include "lib/cluster/job_info.h"
#include "lib/record/finding.h"

namespace longhaul::guard {

/// What is known about the site and, inside of a job, about the job.
struct SiteFacts {
    cluster::SiteConf site;
    std::optional<cluster::JobInfo> job;
};

/// Pure. Each thing that was looked at gives one finding: ok, note, warn (costs time or work) or
/// fail (the run would not come back by itself).
std::vector<record::Finding> check_site(const SiteFacts& facts);

/// Is `run` a place that all hosts of a job see and may write?
std::vector<record::Finding> check_run_directory(const std::filesystem::path& run);

/// Asks Slurm, then check_site(); a Slurm that can not be asked is one finding `unknown`.
/// @param job_id "" for the job around this process, if any.
std::vector<record::Finding> check(const std::string& job_id, const std::filesystem::path& run);

}  // namespace longhaul::guard
