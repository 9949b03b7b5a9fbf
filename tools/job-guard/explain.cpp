// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/explain.h"

#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "tools/job-guard/commands.h"

namespace longhaul::job_guard {

ExitCode run_explain(const cli::Args& args) {
    std::string subject;
    bool json = false;
    cli::Command command("job-guard explain", "what happened to a job or run");
    command.flag("--json", json, "as one JSON object");
    command.positional("JOB|RUN", subject, "job id, or run directory").required();
    command.parse(args);
    const guard::Explanation explanation = guard::explain(subject);
    cli::print(json ? io::to_line(guard::to_json(explanation)) + "\n"
                    : guard::to_text(explanation));
    return ExitCode::kOk;
}

}  // namespace longhaul::job_guard
