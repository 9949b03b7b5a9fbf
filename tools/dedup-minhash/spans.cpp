// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/spans/spans.h"

#include "lib/dedup/stages/staged.h"
#include "tools/dedup-minhash/options.h"

namespace longhaul {

namespace {

void add_output_options(cli::Command& command, dedup::Options& options, bool& is_dry_run) {
    command.positional("INPUT", options.inputs,
                       "JSON Lines, text (.gz, .zst) or Parquet; folders; - is stdin");
    command.option("-o,--output", options.output, "OUT",
                   "file (one input), folder that mirrors the inputs, or - for stdout");
    command.option("--removal-list", options.removal_list, "FILE",
                   "write which passages go, as offsets in the decoded texts");
    command.option("--report", options.report, "FILE", "write a report as JSON");
    command.option("--manifest", options.manifest, "FILE", "write the manifest also here");
    command.option("--parent", options.parents, "FILE", "manifest of the input; may be repeated");
    command.flag("--force", options.is_forced, "redo a finished output");
    command.flag("--dry-run", is_dry_run, "say what would be done, and stop");
}

void add_span_options(cli::Command& command, dedup::SpanOptions& options, std::string& unit) {
    const std::string group = "Spans";
    command.option("--unit", unit, "WORD", "line, paragraph or substring").group(group);
    command
        .option("--min-length", options.min_length, "N",
                "shorter ones stay; default: 40 characters, or 200 bytes of a substring")
        .without_default()
        .group(group);
    command
        .flag("--exact", options.is_exact,
              "compare lines and paragraphs byte for byte, not normalised")
        .group(group);
    command.option("--max-copies", options.max_copies, "N", "keep N copies of a line or paragraph")
        .group(group);
    command
        .option("--min-document", options.min_document, "N",
                "drop a document of which fewer characters are left")
        .group(group);
    command.flag("--keep-empty", options.is_empty_kept, "drop no document, keep emptied ones")
        .group(group);
}

}  // namespace

ExitCode run_spans(const cli::Args& args) {
    dedup::SpanOptions options;
    InputOptions input;
    std::string unit = "line";
    bool is_dry_run = false;
    cli::CommonOptions resources;
    cli::Command command("dedup-minhash spans",
                         "remove lines, paragraphs or substrings that occurred before");
    add_output_options(command, options.common, is_dry_run);
    input.add_to(command, options.common);
    add_span_options(command, options, unit);
    add_resource_options(command, resources);
    command.parse(args);
    input.resolve(options.common);
    options.unit = dedup::parse_span_unit(unit);
    resolve_resources(resources, options.common);
    dedup::complete(options);
    if (!is_dry_run) return dedup::run_spans(options);
    dedup::print_once(dedup::describe_spans(options));
    return ExitCode::kOk;
}

}  // namespace longhaul
