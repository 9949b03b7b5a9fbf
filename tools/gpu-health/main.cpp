// SPDX-License-Identifier: BSD-3-Clause
// gpu-health: node checks for prolog, epilog, health check and jobs.
#include <algorithm>

#include "tools/gpu-health/subcommands.h"

namespace longhaul::gpu_health {

void SourceOptions::add_to(cli::Command& command) {
    command.option("--kernel-log", kernel_log, "FILE",
                   "read kernel messages from FILE (dmesg, journalctl -k), not /dev/kmsg");
    command.option("--sys-root", sys_root, "DIR",
                   "a snapshot folder with sys/ and proc/ instead of /");
    command.option("--deadline", deadline, "TIME", "for all readings; 0: by context");
    command.option("--group-deadline", group_deadline, "TIME", "for one group of readings");
}

health::CollectOptions SourceOptions::collect_options(double default_deadline_s) const {
    health::CollectOptions options;
    options.deadline_s = deadline.seconds > 0 ? deadline.seconds : default_deadline_s;
    options.group_deadline_s = std::min(group_deadline.seconds, options.deadline_s);
    options.kernel_log = kernel_log;
    options.sys_root = sys_root;
    return options;
}

}  // namespace longhaul::gpu_health

int main(int argc, char** argv) {
    using namespace longhaul;
    const std::vector<cli::Subcommand> subcommands = {
        {"explain", "what an XID or a code of a finding means", gpu_health::run_explain},
        {"record", "write what can be read of this node to a file", gpu_health::run_record},
        {"ingest", "judge this node by what nccl-probe found", gpu_health::run_ingest}};
    return cli::run_main("gpu-health", argc, argv, [&](const cli::Args& args) {
        return cli::dispatch("gpu-health", "node checks for prolog, epilog, health check and jobs",
                             args, subcommands, gpu_health::run_check);
    });
}
