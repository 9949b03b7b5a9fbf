// SPDX-License-Identifier: BSD-3-Clause
#include "lib/base/error.h"
#include "lib/cli/command.h"
#include "lib/train/run.h"
#include "tools/train-run/subcommands.h"

namespace longhaul::train_run {

ExitCode run_train(const cli::Args& args) {
    train::RunOptions options;
    std::string config_file;
    cli::CommonOptions common;
    cli::Command command("train-run", kOneLine);
    command.positional("RUN.toml", config_file, "configuration (longhaul-run.toml.5)").required();
    command.option("--set", options.assignments, "SECTION.KEY=VALUE",
                   "change one value of the configuration; may be repeated");
    command.option("--run", options.run_directory, "DIR",
                   "run directory (default: $LONGHAUL_RUN, job.run, else \"run\")");
    command.flag("--print-config", options.print_config,
                 "print the complete effective configuration and end");
    command.flag("--dry-run", options.dry_run,
                 "print memory per rank and the length of the run, start nothing");
    command.flag("--json", options.json, "--dry-run as one JSON object");
    command.flag("--profile", options.profile, "print the time of each phase at the end");
    command.flag("--force", options.force,
                 "take the run's lock from an owner that is certainly gone");
    cli::add_common_options(command, common, cli::kQuietVerbose | cli::kProgress | cli::kThreads);
    command.list_subcommands({{"generate", "text from a checkpoint"}});
    command.footer(
        "Ranks are threads of this process, unless mpirun or srun --mpi=pmix started it.\n"
        "A run is resumed by starting it again.");
    command.parse(args);
    if (command.was_given("--run") && options.run_directory.empty()) {
        throw UsageError("--run names no directory: it is empty");
    }
    if (options.json && !options.dry_run) {
        throw UsageError("--json is for --dry-run; a run writes metrics.jsonl in its directory");
    }
    options.config_file = config_file;
    options.progress = common.progress;
    options.threads = common.threads;
    return train::run_training(options);
}

}  // namespace longhaul::train_run
