// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/hang.h"

#include "lib/cli/command.h"
#include "tools/nccl-probe/subcommands.h"

namespace longhaul::nccl_probe {

ExitCode run_hang(const cli::Args& args) {
    std::vector<std::string> paths;
    bool json = false;
    cli::CommonOptions common;
    cli::Command command("nccl-probe hang",
                         "which rank did not arrive, from the ring dumps of a run");
    command.flag("--json", json, "one JSON object instead of text");
    command.positional("RUN", paths, "run directory of train-run, its ring folder, or dump files")
        .required();
    cli::add_common_options(command, common, cli::kQuietVerbose);
    command.parse(args);

    const auto findings = probe::find_hang(probe::read_ring_dumps(paths));
    print_findings("nccl-probe hang", findings, json);
    return record::exit_code(findings);
}

}  // namespace longhaul::nccl_probe
