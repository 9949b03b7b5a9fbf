// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// main() of every program: one catch ladder, checked stdout, sub-command dispatch.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/exit_code.h"

namespace longhaul::cli {

using Args = std::vector<std::string>;

/// One sub-command: its body parses `args` itself (cli::Command) and returns the exit code.
struct Subcommand {
    std::string name;
    std::string one_line;
    std::function<ExitCode(const Args& args)> run;
};

/// Runs `body` with argv (without the program's name) and turns every exception into
/// "tool: error: ..." on stderr and an exit code. stdout is flushed and checked: a failed write
/// is exit 3, a closed pipe ends quietly.
/// An error on one MPI rank: the fatal hook registered by comm ends the other ranks.
int run_main(std::string_view tool, int argc, char** argv,
             const std::function<ExitCode(const Args& args)>& body);

/// Splits off a first non-option word that names a sub-command; everything else goes to
/// `default_run` (null: a missing sub-command is a usage error). A file of that name is "./NAME".
/// A first word that is no file but nearly a sub-command is a usage error too.
ExitCode dispatch(std::string_view tool, std::string_view one_line, const Args& args,
                  const std::vector<Subcommand>& subcommands,
                  const std::function<ExitCode(const Args& args)>& default_run);

}  // namespace longhaul::cli
