// SPDX-License-Identifier: BSD-3-Clause
// job-guard: options of the three sub-commands; the work is in lib/guard.
#include <cstdlib>

#include "lib/base/error.h"
#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/cli/run_main.h"
#include "lib/guard/guard.h"
#include "lib/guard/launcher_args.h"
#include "tools/job-guard/commands.h"

namespace {

using namespace longhaul;

constexpr const char* kOneLine = "keep a command going in a batch job";

ExitCode run_guard(const cli::Args& args) {
    guard::GuardOptions options;
    std::string policy_file, run;
    const char* run_variable = std::getenv("LONGHAUL_RUN");
    int64_t requeue_max = options.policy.max_requeues;
    cli::CommonOptions common;
    bool print_policy = false;
    std::string progress_file;
    cli::Command command("job-guard", kOneLine);
    command.option("--policy", policy_file, "FILE", "limits and reactions (job-guard.1)");
    command.option("--run", run, "DIR",
                   "the command's run directory; default is $LONGHAUL_RUN, then train-run's --run");
    command.option("--progress-file", progress_file, "FILE",
                   "changes while the command works; default is RUN/progress.json");
    command.option("--requeue-max", requeue_max, "N", "requeues before the job is held")
        .range(0, 1e9);
    command.flag("--print-config", print_policy, "print the complete policy file and exit");
    cli::add_common_options(command, common, cli::kQuietVerbose);
    command.list_subcommands({{"check", "what the site's Slurm would not let a run survive"},
                              {"explain", "what happened to a job or run"}});
    command.footer(
        "The last line of a batch script:\n"
        "  exec job-guard --run RUN -- srun train-run run.toml");
    command.rest_after_dashes(options.command);
    command.parse(args);
    if (command.was_given("--run") && run.empty()) {
        throw UsageError("--run: the name of the run directory is empty (an unset variable?)");
    }
    options.policy = guard::load_policy(policy_file);
    if (command.was_given("--requeue-max")) options.policy.max_requeues = requeue_max;
    if (print_policy) {
        cli::print(guard::policy_schema(options.policy).print());
        return ExitCode::kOk;
    }
    if (options.command.empty()) {
        throw UsageError("a command is missing after --. Try 'job-guard --help'");
    }
    if (run.empty() && run_variable) run = run_variable;
    options.run = run.empty() ? guard::named_run(options.command).value_or("") : run;
    options.progress_file = progress_file;
    return guard::run(options);
}

}  // namespace

int main(int argc, char** argv) {
    return cli::run_main("job-guard", argc, argv, [](const cli::Args& args) {
        return cli::dispatch(
            "job-guard", kOneLine, args,
            {{"check", "", job_guard::run_check}, {"explain", "", job_guard::run_explain}},
            run_guard);
    });
}
