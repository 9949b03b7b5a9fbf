// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The sub-commands of ckpt-reshard; each parses its own arguments.

#include "lib/base/exit_code.h"
#include "lib/cli/run_main.h"

namespace longhaul::ckpt_reshard {

ExitCode run_plan(const cli::Args& args);
ExitCode run_run(const cli::Args& args);
ExitCode run_verify(const cli::Args& args);
ExitCode run_doctor(const cli::Args& args);
ExitCode run_diff(const cli::Args& args);
ExitCode run_ls(const cli::Args& args);
ExitCode run_show(const cli::Args& args);
ExitCode run_import_hf(const cli::Args& args);
ExitCode run_export_hf(const cli::Args& args);
ExitCode run_gc(const cli::Args& args);

}  // namespace longhaul::ckpt_reshard
