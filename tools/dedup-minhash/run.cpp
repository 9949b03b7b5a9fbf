// SPDX-License-Identifier: BSD-3-Clause
#include "lib/base/error.h"
#include "lib/cli/output.h"
#include "lib/dedup/dedup_minhash.h"
#include "tools/dedup-minhash/parameters.h"

namespace longhaul {

namespace {

/// Values that are converted after parsing.
struct Words {
    cli::Bytes max_line{64 << 20};
    bool is_dry_run = false;
};

void add_output_options(cli::Command& command, dedup::Options& options, Words& words) {
    command.positional("INPUT", options.inputs,
                       "documents: JSON lines or text, plain, .gz or .zst; folders; - is stdin");
    command.option("-o,--output", options.output, "OUT",
                   "file (one input), folder that mirrors the inputs, or - for stdout");
    command.option("--removal-list", options.removal_list, "FILE",
                   "write which records go, and for which others");
    command.option("--report", options.report, "FILE", "write a report as JSON");
    command.option("--manifest", options.manifest, "FILE", "write the manifest also here");
    command.option("--parent", options.parents, "FILE", "manifest of the input; may be repeated");
    command
        .option("--show-samples", options.num_samples, "N",
                "show N pairs of duplicates side by side on stderr")
        .range(0, 1000);
    command.flag("--force", options.is_forced, "redo a finished output");
    command.flag("--dry-run", words.is_dry_run, "say what would be done, and stop");
}

void add_input_options(cli::Command& command, dedup::Options& options, Words& words) {
    const std::string group = "Input";
    command.option("--input-format", options.reader.layout, "WORD", "auto, jsonl, lines or file")
        .group(group);
    command.option("--text-field", options.reader.text_field, "NAME", "member with the text")
        .group(group);
    command.option("--max-line", words.max_line, "SIZE", "longer lines are bad records")
        .group(group);
    command.option("--on-bad-record", options.on_bad_record, "WORD", "skip or fail").group(group);
    command
        .option("--max-bad-records", options.max_bad_records, "N",
                "fail when more are bad: a number, or a percentage of all")
        .group(group);
}

void add_removal_options(cli::Command& command, dedup::Options& options, bool& is_transitive) {
    const std::string group = "Parameters";
    command
        .flag("--transitive", is_transitive,
              "classic closure: remove all that is linked, without verifying")
        .group(group);
    command
        .option("--max-candidates", options.max_candidates, "N",
                "compare with at most N kept documents of each group")
        .group(group);
}

}  // namespace

ExitCode run_dedup(const std::string& name, const cli::Args& args) {
    dedup::Options options;
    Words words;
    ParameterOptions parameters;
    bool is_transitive = false;
    cli::CommonOptions common;
    cli::Command command(name, "exact and near-duplicate removal of documents, verified");
    add_output_options(command, options, words);
    add_input_options(command, options, words);
    parameters.add_to(command);
    add_removal_options(command, options, is_transitive);
    cli::add_common_options(command, common,
                            cli::kQuietVerbose | cli::kProgress | cli::kThreads | cli::kMemory);
    if (name == "dedup-minhash") {
        command.list_subcommands({{"run", "remove duplicates (the default)"},
                                  {"explain", "print how likely which duplicates are found"}});
    }
    command.parse(args);
    if (options.inputs.empty()) throw UsageError("no INPUT; - is stdin");
    if (options.max_candidates < 1) throw UsageError("--max-candidates must be at least 1");
    if (words.max_line.value < 1) throw UsageError("--max-line must be at least 1");
    options.parameters = parameters.resolve(command);
    options.parameters.is_transitive = is_transitive;
    options.reader.max_line_bytes = words.max_line.value;
    options.reader.policy =
        corpus::BadRecordPolicy::parse(options.on_bad_record, options.max_bad_records);
    options.threads = cli::resolve_threads(common.threads);
    options.memory_bytes =
        common.memory.value > 0 ? common.memory.value : dedup::default_memory_bytes(options);
    options.tmp_dir = common.tmp_dir;
    options.progress = common.progress;
    if (!words.is_dry_run) return dedup::run(options);
    cli::print(dedup::describe_plan(options));
    return ExitCode::kOk;
}

}  // namespace longhaul
