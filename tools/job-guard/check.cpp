// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>

#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/guard/site_check.h"
#include "lib/io/json.h"
#include "tools/job-guard/commands.h"

namespace longhaul::job_guard {

ExitCode run_check(const cli::Args& args) {
    std::string job, run;
    bool json = false, strict = false;
    cli::Command command("job-guard check",
                         "what the site's Slurm would not let a run survive, and why");
    command.option("--run", run, "DIR", "look at this run directory too");
    command.flag("--json", json, "findings as one JSON object");
    command.flag("--strict", strict, "warnings make exit code 1, too");
    command.positional("JOB", job, "look at this job too; default is SLURM_JOB_ID");
    command.parse(args);
    const char* own = std::getenv("SLURM_JOB_ID");
    if (job.empty() && own) job = own;
    const std::vector<record::Finding> findings = guard::check(job, run);
    if (json) {
        io::Json object;
        object["schema"] = 1;
        object["findings"] = record::to_json(findings);
        cli::print(io::to_line(object) + "\n");
    } else {
        cli::print(record::to_text(findings));
    }
    return record::exit_code(findings, strict);
}

}  // namespace longhaul::job_guard
