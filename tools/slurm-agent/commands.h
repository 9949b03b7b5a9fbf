// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
// The sub-commands of slurm-agent and how they answer: one JSON object on stdout.

#include <functional>
#include <string>

#include "lib/cli/run_main.h"
#include "lib/io/json_fwd.h"

namespace longhaul::slurm_agent {

inline constexpr unsigned kDeadline_s = 10;

/// Prints what `question` returns; a SlurmError becomes {"schema":1,"error":...} and its exit code.
ExitCode answer(const std::function<io::Json()>& question);

/// {"schema":1,"job_id":ID,"done":true}
io::Json done(const std::string& job_id);

/// `id`, or SLURM_JOB_ID when it is empty. @throws UsageError
std::string or_own_job(const std::string& id);

/// A sub-command whose only argument is a job id.
cli::Subcommand job_command(const std::string& name, const std::string& one_line,
                            const std::function<io::Json(const std::string& id)>& question);

ExitCode run_hold(const cli::Args& args);
ExitCode run_exclude(const cli::Args& args);
ExitCode run_signal(const cli::Args& args);
ExitCode run_nodes(const cli::Args& args);
ExitCode run_conf(const cli::Args& args);
ExitCode run_watch(const cli::Args& args);

}  // namespace longhaul::slurm_agent
