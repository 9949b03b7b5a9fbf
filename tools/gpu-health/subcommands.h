// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The sub-commands of gpu-health, one file each.

#include "lib/cli/command.h"
#include "lib/cli/run_main.h"
#include "lib/health/collect.h"

namespace longhaul::gpu_health {

ExitCode run_check(const cli::Args& args);  // without a sub-command
ExitCode run_record(const cli::Args& args);
ExitCode run_explain(const cli::Args& args);
ExitCode run_ingest(const cli::Args& args);

/// Where a snapshot comes from; the options that check and record share.
struct SourceOptions {
    std::string kernel_log;
    std::string sys_root = "/";
    cli::Duration deadline{0};  // 0: by context
    cli::Duration group_deadline{5};

    void add_to(cli::Command& command);
    health::CollectOptions collect_options(double default_deadline_s) const;
};

}  // namespace longhaul::gpu_health
