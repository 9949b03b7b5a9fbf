// SPDX-License-Identifier: BSD-3-Clause
#include "tools/dedup-minhash/options.h"

#include "lib/base/error.h"

namespace longhaul {

void InputOptions::add_to(cli::Command& command, dedup::Options& options) {
    const std::string input = "Input";
    command
        .option("--input-format", options.reader.layout, "WORD",
                "auto, jsonl, lines, file or parquet")
        .group(input);
    command.option("--text-field", options.reader.text_field, "NAME", "member with the text")
        .group(input);
    command.option("--max-line", max_line, "SIZE", "longer lines are bad records").group(input);
    command.option("--on-bad-record", options.on_bad_record, "WORD", "skip or fail").group(input);
    command
        .option("--max-bad-records", options.max_bad_records, "N",
                "fail when more are bad: a number, or a percentage of all")
        .group(input);
}

void InputOptions::resolve(dedup::Options& options) const {
    if (options.inputs.empty()) throw UsageError("no INPUT; - is stdin");
    if (max_line.value < 1) throw UsageError("--max-line must be at least 1");
    options.reader.max_line_bytes = max_line.value;
    options.reader.policy =
        corpus::BadRecordPolicy::parse(options.on_bad_record, options.max_bad_records);
}

void DecidingOptions::add_to(cli::Command& command, dedup::Options& options) {
    input.add_to(command, options);
    parameters.add_to(command);
    const std::string removal = "Parameters";
    command
        .flag("--transitive", is_transitive,
              "classic closure: remove all that is linked, without verifying")
        .group(removal);
    command
        .option("--max-candidates", options.max_candidates, "N",
                "compare with at most N kept documents of each group")
        .group(removal);
    const std::string choice = "Which one stays";
    command
        .option("--keep", keep, "WORDS",
                "of duplicates: first, or the best by priority, score:MEMBER, length")
        .group(choice);
    command
        .option("--priority", priorities, "PATTERN=N",
                "priority of inputs; the greatest stays; may be repeated")
        .group(choice);
    command
        .option("--against", against, "WORK",
                "keep what an earlier run kept, and remove its duplicates; may be repeated")
        .group(choice);
}

void DecidingOptions::resolve(const cli::Command& command, dedup::Options& options) const {
    input.resolve(options);
    if (options.max_candidates < 1) throw UsageError("--max-candidates must be at least 1");
    options.parameters = parameters.resolve(command);
    options.parameters.is_transitive = is_transitive;
    options.keep = dedup::KeepRule::parse(keep, priorities);
    for (const std::string& work : against) options.against.push_back({work, "", "", 0});
}

void UnitOptions::add_to(cli::Command& command) {
    const std::string group = "Units of work";
    command
        .option("--units", num_units, "N",
                "cut the inputs into about N units; default: by --unit-size")
        .without_default()
        .group(group);
    command.option("--unit-size", unit_bytes, "SIZE", "bytes of input of a unit; default 4GiB")
        .group(group);
    command
        .option("--splits", num_splits, "N",
                "ranges of keys of each band; default: by the size of the inputs")
        .without_default()
        .group(group);
}

dedup::PlanRequest UnitOptions::resolve() const {
    if (num_units > 0 && unit_bytes.value > 0) {
        throw UsageError("--units and --unit-size exclude each other");
    }
    constexpr uint64_t kMost = 100'000;
    if (num_units > kMost || num_splits > 1024) {
        throw UsageError(format("--units is at most {}, --splits at most 1024", kMost));
    }
    return {num_units, unit_bytes.value, num_splits};
}

void add_report_options(cli::Command& command, dedup::Options& options) {
    command.option("--removal-list", options.removal_list, "FILE",
                   "write which records go, and for which others");
    command.option("--annotate", options.annotate, "NAME",
                   "write all records, with a member NAME that says what stays");
    command.option("--report", options.report, "FILE", "write a report as JSON");
    command.option("--manifest", options.manifest, "FILE", "write the manifest also here");
    command.option("--parent", options.parents, "FILE", "manifest of the input; may be repeated");
    command
        .option("--show-samples", options.num_samples, "N",
                "show N pairs of duplicates side by side on stderr")
        .range(0, 1000);
}

void add_resource_options(cli::Command& command, cli::CommonOptions& common) {
    cli::add_common_options(command, common,
                            cli::kQuietVerbose | cli::kProgress | cli::kThreads | cli::kMemory);
}

void resolve_resources(const cli::CommonOptions& common, dedup::Options& options) {
    options.threads = cli::resolve_threads(common.threads);
    options.memory_bytes =
        common.memory.value > 0 ? common.memory.value : dedup::default_memory_bytes(options);
    options.tmp_dir = common.tmp_dir;
    options.progress = common.progress;
}

}  // namespace longhaul
