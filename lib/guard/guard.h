// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// job-guard: runs a command in a batch job and keeps it going until it has finished or until a
// person is needed. The last line of a batch script: exec job-guard -- srun train-run run.toml

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/exit_code.h"
#include "lib/guard/policy.h"

namespace longhaul::guard {

struct GuardOptions {
    std::vector<std::string> command;
    Policy policy;
    std::filesystem::path run;            // "" : the command has no run directory
    std::filesystem::path progress_file;  // "" : RUN/progress.json
};

/// Runs until the end of this incarnation of the job.
/// @return kOk when the command finished; kRequeue after a requeue (or where none could be made);
///         kStopped when the job was held or stopped on purpose; else the command's own code.
ExitCode run(const GuardOptions& options);

}  // namespace longhaul::guard
