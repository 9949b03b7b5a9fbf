// SPDX-License-Identifier: BSD-3-Clause
// Sub-commands plan to apply.
#include <array>

#include "lib/base/error.h"
#include "lib/dedup/stages/staged.h"
#include "tools/dedup-minhash/options.h"

namespace longhaul {

namespace {

constexpr std::array kStages{dedup::Stage::kSign, dedup::Stage::kExact, dedup::Stage::kGroup,
                             dedup::Stage::kShingles, dedup::Stage::kCluster};

void add_work(cli::Command& command, std::string& work) {
    command.positional("WORK", work, "the work directory that \"dedup-minhash plan\" made")
        .required();
}

void add_task(cli::Command& command, std::string& task) {
    command.option("--task", task, "I/N",
                   "do units I, I+N, ... only; default: the task of a Slurm job array");
}

/// What --help of the program says about a sub-command.
std::string line_of(const std::string& name) {
    for (const auto& [known, line] : subcommand_lines()) {
        if (known == name) return line;
    }
    throw UsageError(format("no stage {}", name));
}

/// The ranks of a job would each be task 0 of 1.
void check_task(const std::string& task) {
    if (task.empty()) dedup::refuse_several_ranks("give each its --task I/N, or run --work WORK");
}

/// Resources by the plan: memory depends on the longest line and on how shingles are made.
void resolve_by_plan(const cli::CommonOptions& common, const std::string& work,
                     dedup::Options& options) {
    const dedup::Options planned = dedup::read_plan(work).options;
    options.parameters = planned.parameters;
    options.reader = planned.reader;
    resolve_resources(common, options);
}

}  // namespace

ExitCode run_plan(const cli::Args& args) {
    dedup::Options options;
    DecidingOptions deciding;
    UnitOptions units;
    std::string work;
    cli::CommonOptions common;
    cli::Command command("dedup-minhash plan", line_of("plan"));
    command.positional("WORK", work, "the work directory; it is made").required();
    command.positional("INPUT", options.inputs, "JSON Lines, text (.gz, .zst) or Parquet; folders")
        .required();
    command.flag("--force", options.is_forced, "replace a plan by which nothing was made");
    deciding.add_to(command, options);
    units.add_to(command);
    cli::add_common_options(command, common, cli::kQuietVerbose);
    command.parse(args);
    deciding.resolve(command, options);
    return dedup::run_plan(options, work, units.resolve());
}

ExitCode run_stage(const std::string& name, const cli::Args& args) {
    for (const dedup::Stage stage : kStages) {
        if (dedup::stage_name(stage) != name) continue;
        dedup::Options options;
        std::string work, task;
        cli::CommonOptions common;
        cli::Command command("dedup-minhash " + name, line_of(name));
        add_work(command, work);
        add_task(command, task);
        add_resource_options(command, common);
        command.parse(args);
        check_task(task);
        resolve_by_plan(common, work, options);
        return dedup::run_stage(stage, work, options, cluster::resolve_task_share(task));
    }
    throw UsageError(format("no stage {}", name));
}

ExitCode run_apply(const cli::Args& args) {
    dedup::Options options;
    std::string work, task;
    bool only_finish = false;
    cli::CommonOptions common;
    cli::Command command("dedup-minhash apply", line_of("apply"));
    add_work(command, work);
    command.option("-o,--output", options.output, "OUT",
                   "file (one input), folder that mirrors the inputs, or - for stdout");
    add_report_options(command, options);
    add_task(command, task);
    command.flag("--finish", only_finish,
                 "complete an output whose units are done: manifest, removal list, report");
    command.flag("--force", options.is_forced, "redo a finished output");
    add_resource_options(command, common);
    command.parse(args);
    check_task(task);
    if (options.output.empty() && options.removal_list.empty()) {
        throw UsageError("no -o OUT and no --removal-list FILE");
    }
    resolve_by_plan(common, work, options);
    return dedup::run_apply(work, options, cluster::resolve_task_share(task), only_finish);
}

}  // namespace longhaul
