// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What job-guard reads from, and adds to, the command line of a launcher. Only srun is changed:
// other commands run as they are.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace longhaul::guard {

using Argv = std::vector<std::string>;

/// The program is srun, by whatever path.
bool is_srun(const Argv& command);

/// Hosts that srun's -N, --nodes asks for: the lower bound of "2-4".
std::optional<uint64_t> requested_nodes(const Argv& command);

/// Adds --kill-on-bad-exit=1, unless the user said -K or --kill-on-bad-exit (without it the other
/// ranks wait for a dead one for ever), and --exclude=HOSTS.
Argv adapt_command(const Argv& command, const std::string& avoided_hosts);

/// The run directory that the command line names itself: `train-run ... --run DIR`.
std::optional<std::string> named_run(const Argv& command);

/// `check` run once on each of `num_hosts` hosts.
Argv preflight_command(const Argv& check, uint64_t num_hosts, const std::string& avoided_hosts);

}  // namespace longhaul::guard
