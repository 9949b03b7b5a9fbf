// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The sub-commands of nccl-probe, one file each: options, one call into lib/probe, exit code.

#include "lib/cli/run_main.h"
#include "lib/record/finding.h"

namespace longhaul::nccl_probe {

ExitCode run_sweep(const cli::Args& args);
ExitCode run_pairs(const cli::Args& args);
ExitCode run_hang(const cli::Args& args);
ExitCode run_env(const cli::Args& args);
ExitCode run_topo(const cli::Args& args);
ExitCode run_counters(const cli::Args& args);
ExitCode run_diagnose(const cli::Args& args);

/// {"schema":1,"tool":TOOL,"findings":[...]} or the text form, on stdout.
void print_findings(const std::string& tool, const std::vector<record::Finding>& findings,
                    bool as_json);

}  // namespace longhaul::nccl_probe
