// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/signature/explain.h"

#include "lib/dedup/stages/staged.h"
#include "tools/dedup-minhash/parameters.h"

namespace longhaul {

ExitCode run_explain(const cli::Args& args) {
    ParameterOptions options;
    bool is_json = false;
    cli::Command command("dedup-minhash explain", "print how likely which duplicates are found");
    options.add_to(command);
    command.flag("--json", is_json, "print one JSON object");
    command.parse(args);
    const dedup::Parameters parameters = options.resolve(command);
    dedup::print_once(is_json ? dedup::explanation_json(parameters)
                              : dedup::explanation(parameters));
    return ExitCode::kOk;
}

}  // namespace longhaul
