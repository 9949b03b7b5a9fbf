// SPDX-License-Identifier: BSD-3-Clause
// nccl-probe: bandwidth, bad node and link isolation, log diagnosis.
#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "tools/nccl-probe/subcommands.h"

namespace longhaul::nccl_probe {

void print_findings(const std::string& tool, const std::vector<record::Finding>& findings,
                    bool as_json) {
    if (!as_json) return cli::print(record::to_text(findings));
    const io::Json json{{"schema", 1}, {"tool", tool}, {"findings", record::to_json(findings)}};
    cli::print_line("{}", io::to_line(json));
}

}  // namespace longhaul::nccl_probe

int main(int argc, char** argv) {
    using namespace longhaul;
    const std::vector<cli::Subcommand> subcommands = {
        {"sweep", "bandwidth of collectives over a range of sizes", nccl_probe::run_sweep},
        {"pairs", "bandwidth and latency of every pair; names bad nodes and links",
         nccl_probe::run_pairs},
        {"diagnose", "read logs of NCCL jobs and name the cause", nccl_probe::run_diagnose},
        {"hang", "which rank did not arrive, from the ring dumps of a run", nccl_probe::run_hang},
        {"env", "known pitfalls in NCCL, UCX and Open MPI variables", nccl_probe::run_env},
        {"topo", "GPUs, NICs and their distances as the system shows them", nccl_probe::run_topo},
        {"counters", "error counters of network ports over an interval", nccl_probe::run_counters}};
    return cli::run_main("nccl-probe", argc, argv, [&](const cli::Args& args) {
        return cli::dispatch("nccl-probe", "bandwidth, bad node and link isolation, log diagnosis",
                             args, subcommands, nullptr);
    });
}
