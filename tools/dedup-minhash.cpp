// SPDX-License-Identifier: BSD-3-Clause
// dedup-minhash: exact and near-duplicate removal of documents, verified.

#include <string>

#include "lib/base/error.h"
#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/cli/run_main.h"
#include "lib/dedup/dedup_minhash.h"

using namespace longhaul;

namespace {

/// The words of options that need a look at what was given.
struct Words {
    std::string preset = "fineweb";
    std::string hash = "native";
    cli::Bytes max_line{64 << 20};
    bool is_dry_run = false;
};

void add_parameters(cli::Command& command, dedup::Parameters& parameters, Words& words) {
    command.option("--preset", words.preset, "NAME", "recipe: fineweb (14 x 8, 5 words)")
        .group("Parameters");
    command
        .option("--threshold", parameters.threshold, "J",
                "true Jaccard from which a document goes; alone it also chooses bands and rows")
        .group("Parameters");
    command.option("--bands", parameters.bands, "N", "bands of a signature").group("Parameters");
    command.option("--rows", parameters.rows, "N", "hashes in a band").group("Parameters");
    command.option("--ngram", parameters.ngram, "N", "words in a shingle").group("Parameters");
    command
        .option("--hash", words.hash, "NAME",
                "native, or datatrove: signatures equal to that program's, slower")
        .group("Parameters");
}

/// Preset first, then what the user gave; --threshold alone chooses the banding.
dedup::Parameters resolve(const cli::Command& command, const dedup::Parameters& given,
                          const Words& words) {
    dedup::Parameters parameters = dedup::preset_parameters(words.preset);
    parameters.preset = words.preset;
    parameters.scheme = dedup::parse_scheme(words.hash);
    parameters.is_transitive = given.is_transitive;
    if (command.was_given("--ngram")) parameters.ngram = given.ngram;
    if (command.was_given("--threshold")) {
        parameters.threshold = given.threshold;
        dedup::validate(parameters);
        const dedup::Banding best = dedup::best_banding(given.threshold);
        parameters.bands = best.bands;
        parameters.rows = best.rows;
    }
    if (command.was_given("--bands") != command.was_given("--rows")) {
        throw UsageError("--bands and --rows are given together or not at all");
    }
    if (command.was_given("--bands")) {
        parameters.bands = given.bands;
        parameters.rows = given.rows;
    }
    dedup::validate(parameters);
    return parameters;
}

void add_run_options(cli::Command& command, dedup::Options& options, Words& words) {
    command.positional("INPUT", options.inputs,
                       "documents: JSON lines or text, plain, .gz or .zst; folders; - is stdin");
    command.option("-o,--output", options.output, "OUT",
                   "file (one input), folder that mirrors the inputs, or - for stdout");
    command.option("--removal-list", options.removal_list, "FILE",
                   "write which records go, and for which others");
    command.option("--report", options.report, "FILE", "write a report as JSON");
    command.option("--manifest", options.manifest, "FILE", "write the manifest also here");
    command.option("--parent", options.parents, "FILE", "manifest of the input; may be repeated");
    command.option("--show-samples", options.num_samples, "N",
                   "show N pairs of duplicates side by side on stderr");
    command.flag("--force", options.is_forced, "redo a finished output");
    command.flag("--dry-run", words.is_dry_run, "say what would be done, and stop");
    command.flag("--transitive", options.parameters.is_transitive,
                 "classic closure: remove all that is linked, without verifying");
    command.option("--max-candidates", options.max_candidates, "N",
                   "compare with at most N kept documents of each group");
    command.option("--input-format", options.reader.layout, "WORD", "auto, jsonl, lines or file")
        .group("Input");
    command.option("--text-field", options.reader.text_field, "NAME", "member with the text")
        .group("Input");
    command.option("--max-line", words.max_line, "SIZE", "longer lines are bad records")
        .group("Input");
    command.option("--on-bad-record", options.on_bad_record, "WORD", "skip or fail").group("Input");
    command
        .option("--max-bad-records", options.max_bad_records, "N",
                "fail when more are bad: a number, or a percentage of all")
        .group("Input");
}

ExitCode run(const cli::Args& args) {
    dedup::Options options;
    Words words;
    cli::CommonOptions common;
    cli::Command command("dedup-minhash",
                         "exact and near-duplicate removal of documents, verified");
    add_run_options(command, options, words);
    add_parameters(command, options.parameters, words);
    cli::add_common_options(command, common,
                            cli::kQuietVerbose | cli::kProgress | cli::kThreads | cli::kMemory);
    command.list_subcommands({{"run", "remove duplicates (the default)"},
                              {"explain", "print how likely which duplicates are found"}});
    command.parse(args);
    if (options.inputs.empty()) throw UsageError("no INPUT; - is stdin");
    options.parameters = resolve(command, options.parameters, words);
    options.reader.max_line_bytes = words.max_line.value;
    options.reader.policy =
        corpus::BadRecordPolicy::parse(options.on_bad_record, options.max_bad_records);
    options.threads = cli::resolve_threads(common.threads);
    options.memory_bytes =
        common.memory.value > 0 ? common.memory.value : dedup::default_memory_bytes();
    options.tmp_dir = common.tmp_dir;
    options.progress = common.progress;
    if (!words.is_dry_run) return dedup::run(options);
    cli::print(dedup::describe_plan(options));
    return ExitCode::kOk;
}

ExitCode explain(const cli::Args& args) {
    dedup::Parameters parameters;
    Words words;
    cli::Command command("dedup-minhash explain", "print how likely which duplicates are found");
    add_parameters(command, parameters, words);
    command.parse(args);
    cli::print(dedup::s_curve_table(resolve(command, parameters, words)));
    return ExitCode::kOk;
}

}  // namespace

int main(int argc, char** argv) {
    return cli::run_main("dedup-minhash", argc, argv, [](const cli::Args& args) {
        return cli::dispatch(
            "dedup-minhash", "exact and near-duplicate removal of documents", args,
            {{"run", "remove duplicates", run}, {"explain", "print the S-curve", explain}}, run);
    });
}
