// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
// Jobs of the Slurm controller: read one, requeue, hold, exclude hosts, start now, signal. Job ids
// are text, "12" or "12_3" for a task of an array, as Slurm writes them.

#include <string>

#include "lib/io/json_fwd.h"

namespace longhaul::slurmapi {

/// The job as slurm-agent.8 describes it. @throws SlurmError
io::Json load_job_json(const std::string& job_id);

/// Puts the job back into the queue; a caller inside the job is ended moments later.
/// @param is_held it then waits for `scontrol release`.
void requeue_job(const std::string& job_id, bool is_held);

/// Holds a pending job, requeues and holds a running one. @param comment "" leaves it alone.
void hold_job(const std::string& job_id, const std::string& comment);

/// Adds hosts (Slurm's notation) to those a pending job must avoid. @return the complete list.
std::string exclude_hosts(const std::string& job_id, const std::string& hosts);

/// Lifts the delay after a requeue (120 s by default).
void start_job_now(const std::string& job_id);

/// Sends a signal to all steps of a running job, but not to its batch script.
void signal_steps(const std::string& job_id, int signal);

}  // namespace longhaul::slurmapi
