// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sub-commands of job-guard.

#include "lib/cli/run_main.h"

namespace longhaul::job_guard {

ExitCode run_check(const cli::Args& args);
ExitCode run_explain(const cli::Args& args);

}  // namespace longhaul::job_guard
