// SPDX-License-Identifier: BSD-3-Clause
#include "lib/base/error.h"
#include "lib/dedup/dedup_minhash.h"
#include "lib/dedup/stages/staged.h"
#include "tools/dedup-minhash/options.h"

namespace longhaul {

const std::vector<std::pair<std::string, std::string>>& subcommand_lines() {
    static const std::vector<std::pair<std::string, std::string>> lines{
        {"run", "remove duplicates (the default)"},
        {"explain", "print how likely which duplicates are found"},
        {"filter", "apply a removal list that was written before"},
        {"spans", "remove lines, paragraphs or substrings that occurred before"},
        {"plan", "begin a run in stages, for job arrays: cut the work into units"},
        {"sign", "stage 1: read the inputs, make hashes and band keys"},
        {"exact", "stage 2: find equal documents"},
        {"group", "stage 3: find equal band keys"},
        {"shingles", "stage 4: read the candidates again"},
        {"cluster", "stage 5: decide what goes"},
        {"apply", "stage 6: write what stays"}};
    return lines;
}

ExitCode run_dedup(const std::string& name, const cli::Args& args) {
    dedup::Options options;
    DecidingOptions deciding;
    UnitOptions units;
    std::string work;
    bool is_dry_run = false;
    cli::CommonOptions common;
    cli::Command command(name, "exact and near-duplicate removal of documents, verified");
    command.positional("INPUT", options.inputs,
                       "JSON Lines, text (.gz, .zst) or Parquet; folders; - is stdin");
    command.option("-o,--output", options.output, "OUT",
                   "file (one input), folder that mirrors the inputs, or - for stdout");
    add_report_options(command, options);
    command.flag("--force", options.is_forced, "redo a finished output");
    command.flag("--dry-run", is_dry_run, "say what would be done, and stop");
    command.option("--work", work, "DIR", "work in stages, with their files in DIR: resumable");
    deciding.add_to(command, options);
    units.add_to(command);
    add_resource_options(command, common);
    if (name == "dedup-minhash") command.list_subcommands(subcommand_lines());
    command.footer(
        "Examples (more in man dedup-minhash):\n"
        "  dedup-minhash -o clean/ --report report.json corpus/\n"
        "  zstdcat corpus/*.zst | dedup-minhash - >clean.jsonl");
    command.parse(args);
    deciding.resolve(command, options);
    const dedup::PlanRequest request = units.resolve();
    if (work.empty() && request.is_given()) {
        throw UsageError("--units, --unit-size and --splits cut the work of --work DIR");
    }
    resolve_resources(common, options);
    if (is_dry_run) {
        dedup::print_once(dedup::describe_plan(options));
        return ExitCode::kOk;
    }
    return work.empty() ? dedup::run(options) : dedup::run_staged(options, work, request);
}

}  // namespace longhaul
