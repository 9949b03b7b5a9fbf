// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/ingest.h"

#include <unistd.h>

#include <cstdlib>

#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "lib/io/stream.h"
#include "tools/gpu-health/subcommands.h"

namespace longhaul::gpu_health {

namespace {

std::string this_host() {
    if (const char* name = std::getenv("SLURMD_NODENAME")) return name;
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    const std::string full = name;
    return full.substr(0, full.find('.'));
}

}  // namespace

ExitCode run_ingest(const cli::Args& args) {
    std::string input, host, policy = "default";
    bool json = false, reason = false, strict = false;
    cli::CommonOptions common;
    cli::Command command("gpu-health ingest", "judge this node by what nccl-probe found");
    command.option("--host", host, "NAME", "judge that node instead of this one");
    command.option("--exit-policy", policy, "WHICH", "slurm: only a failure is not 0")
        .choices({"default", "slurm"});
    command.flag("--reason", reason, "print only the reason to drain, one line or nothing");
    command.flag("--json", json, "one JSON object instead of text");
    command.flag("--strict", strict, "warnings count as failures");
    command.positional("FILE", input, "JSON of nccl-probe; - is stdin").required();
    cli::add_common_options(command, common, cli::kQuietVerbose);
    command.parse(args);
    if (host.empty()) host = this_host();

    const std::string source = input == "-" ? "standard input" : input;
    const io::Json given = io::parse_json(io::read_all(input, 256 << 20), source);
    const auto all = health::findings_from_json(given, source);
    const auto absence = health::finding_of_absence(given, host);
    const auto findings = absence ? std::vector{*absence} : health::findings_about(all, host);
    if (reason) {
        const std::string line = record::drain_reason(findings, "gpu-health");
        if (!line.empty()) cli::print_line("{}", line);
    } else if (json) {
        const io::Json object{{"schema", 1},
                              {"tool", "gpu-health"},
                              {"host", host},
                              {"findings", record::to_json(findings)}};
        cli::print_line("{}", io::to_line(object));
    } else {
        cli::print(record::to_text(findings));
    }
    return policy == "slurm" ? record::exit_code_slurm(findings)
                             : record::exit_code(findings, strict);
}

}  // namespace longhaul::gpu_health
