// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/diagnose.h"

#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "tools/nccl-probe/subcommands.h"

namespace longhaul::nccl_probe {

ExitCode run_diagnose(const cli::Args& args) {
    std::vector<std::string> logs;
    bool json = false, strict = false;
    cli::CommonOptions common;
    cli::Command command("nccl-probe diagnose", "read logs of NCCL jobs and name the cause");
    command.flag("--json", json, "one JSON object instead of text");
    command.flag("--strict", strict, "warnings count as failures");
    command.positional("LOG", logs, "logs of one job, also .gz and .zst; - is stdin").required();
    cli::add_common_options(command, common, cli::kQuietVerbose);
    command.parse(args);

    probe::LogDiagnoser diagnoser;
    for (const std::string& path : logs) {
        const auto input = io::open_input(path);
        diagnoser.read(*input);
    }
    const probe::DiagnosisReport report = diagnoser.report();
    if (json) {
        cli::print_line("{}", io::to_line(probe::to_json(report)));
    } else {
        cli::print(probe::to_text(report));
    }
    return record::exit_code(report.findings(), strict);
}

}  // namespace longhaul::nccl_probe
