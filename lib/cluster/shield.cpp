// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cluster/shield.h"

namespace longhaul::cluster {

io::ChildResult run_shielded(const std::vector<std::string>& argv, double deadline_s) {
    // Ignored signals stay ignored across exec.
    std::vector<std::string> command{"/bin/sh", "-c", "trap '' TERM INT HUP; exec \"$0\" \"$@\""};
    command.insert(command.end(), argv.begin(), argv.end());
    io::ChildOptions options;
    options.deadline_s = deadline_s;
    options.extra_environment = {"SLURM_TIME_FORMAT=%s"};
    return io::run_command(command, options);
}

}  // namespace longhaul::cluster
