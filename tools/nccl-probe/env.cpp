// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cli/command.h"
#include "lib/log/log.h"
#include "lib/probe/env_run.h"
#include "tools/nccl-probe/subcommands.h"

namespace longhaul::nccl_probe {

ExitCode run_env(const cli::Args& args) {
    probe::EnvOptions options;
    bool json = false, strict = false;
    cli::CommonOptions common;
    cli::Command command("nccl-probe env", "known pitfalls in NCCL, UCX and Open MPI variables");
    command.option("--input", options.input, "FILE",
                   "judge NAME=value lines of a file instead of this environment (- is stdin)");
    command.option("--sys-root", options.sys_root, "DIR",
                   "look up devices in a snapshot folder instead of /");
    command.flag("--json", json, "one JSON object instead of text");
    command.flag("--strict", strict, "warnings count as failures");
    cli::add_common_options(command, common, cli::kQuietVerbose);
    command.parse(args);

    const auto findings = probe::run_env(options);
    if (!findings) return ExitCode::kOk;  // another rank than 0
    print_findings("nccl-probe env", *findings, json);
    return record::exit_code(*findings, strict);
}

}  // namespace longhaul::nccl_probe
