// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cli/output.h"
#include "tools/dedup-minhash/parameters.h"

namespace longhaul {

ExitCode run_explain(const cli::Args& args) {
    ParameterOptions parameters;
    cli::Command command("dedup-minhash explain", "print how likely which duplicates are found");
    parameters.add_to(command);
    command.parse(args);
    cli::print(dedup::s_curve_table(parameters.resolve(command)));
    return ExitCode::kOk;
}

}  // namespace longhaul
