// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "lib/probe/topology.h"
#include "tools/nccl-probe/subcommands.h"

namespace longhaul::nccl_probe {

ExitCode run_topo(const cli::Args& args) {
    std::string root = "/";
    bool json = false, strict = false;
    cli::CommonOptions common;
    cli::Command command("nccl-probe topo",
                         "GPUs, NICs and their distances as the system shows them");
    command.option("--input", root, "DIR", "a snapshot folder that holds sys/, instead of /");
    command.flag("--json", json, "one JSON object instead of text");
    command.flag("--strict", strict, "warnings count as failures");
    cli::add_common_options(command, common, cli::kQuietVerbose);
    command.parse(args);

    const probe::Topology topology = probe::read_topology(cluster::SysTree::open(root));
    const auto findings = probe::judge(topology);
    if (json) {
        io::Json object{{"schema", 1}, {"tool", "nccl-probe topo"}};
        object.update(probe::to_json(topology));
        object["findings"] = record::to_json(findings);
        cli::print_line("{}", io::to_line(object));
    } else {
        cli::print(probe::to_text(topology) + record::to_text(findings));
    }
    return record::exit_code(findings, strict);
}

}  // namespace longhaul::nccl_probe
