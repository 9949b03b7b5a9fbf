// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Commands that must outlive the TERM which Slurm sends to a whole batch script: requeueing a job
// from inside ends the very process that asked for it, before it has read the answer.

#include <string>
#include <vector>

#include "lib/io/child.h"

namespace longhaul::cluster {

/// Runs a Slurm command that ignores TERM, INT and HUP, for at most `deadline_s`. Times that it
/// prints are Unix seconds. A missing program is exit code 127.
io::ChildResult run_shielded(const std::vector<std::string>& argv, double deadline_s);

}  // namespace longhaul::cluster
