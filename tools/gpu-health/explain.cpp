// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/explain.h"

#include "lib/cli/output.h"
#include "tools/gpu-health/subcommands.h"

namespace longhaul::gpu_health {

ExitCode run_explain(const cli::Args& args) {
    std::vector<std::string> codes;
    cli::CommonOptions common;
    cli::Command command("gpu-health explain", "what an XID or a code of a finding means");
    command.positional("CODE", codes, "79, xid.79, gpu.ecc.uncorrected, ...").required();
    cli::add_common_options(command, common, cli::kQuietVerbose);
    command.parse(args);
    std::string text;
    for (const std::string& code : codes) text += health::explain(code);
    cli::print(text);
    return ExitCode::kOk;
}

}  // namespace longhaul::gpu_health
