// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/counters.h"

#include "lib/cli/command.h"
#include "lib/log/log.h"
#include "tools/nccl-probe/subcommands.h"

namespace longhaul::nccl_probe {

ExitCode run_counters(const cli::Args& args) {
    probe::CounterOptions options;
    cli::Duration interval{10};
    bool json = false, strict = false;
    cli::CommonOptions common;
    cli::Command command("nccl-probe counters", "error counters of network ports over an interval");
    command.option("--interval", interval, "TIME", "between the two readings");
    command.option("--since", options.since, "FILE",
                   "compare with a saved reading, without waiting");
    command.option("--save", options.save, "FILE", "write this reading for a later --since");
    command.option("--input", options.sys_root, "DIR",
                   "a snapshot folder that holds sys/, instead of /");
    command.flag("--json", json, "one JSON object instead of text");
    command.flag("--strict", strict, "warnings count as failures");
    cli::add_common_options(command, common, cli::kQuietVerbose);
    command.parse(args);
    options.interval_s = interval.seconds;

    const auto findings = probe::run_counters(options);
    if (!findings) return ExitCode::kOk;  // another rank than 0
    print_findings("nccl-probe counters", *findings, json);
    return record::exit_code(*findings, strict);
}

}  // namespace longhaul::nccl_probe
