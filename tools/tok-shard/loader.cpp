// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/loader.h"

#include <charconv>

#include "lib/base/error.h"
#include "tools/tok-shard/subcommands.h"

namespace longhaul::tok_shard {

namespace {

constexpr double kMostFrom = 4e18;  // below 2^62: counting on never wraps

/// Options that stand for keys of [data].
struct Words {
    std::vector<std::string> folders, weights, skip;
    shards::SampleWords samples;
    int64_t seq_len = 1024, seed = 1;
};

void add_data_options(cli::Command& command, Words& words, tokenize::RunData& data) {
    const std::string group = "As [data] in run.toml";
    shards::SampleWords& samples = words.samples;
    const auto in = [&](cli::OptionRef option) { option.group(group); };
    in(command.option("--weight", words.weights, "W", "share of a folder; once for each"));
    in(command.option("--seq-len", words.seq_len, "N", "tokens of a sample").range(1, 1u << 31));
    in(command.option("--global-batch", data.global_batch, "N", "samples of a step"));
    in(command.option("--micro-batch", data.micro_batch, "N", "samples at a time on a rank"));
    in(command.option("--seed", words.seed, "N", "job.seed"));
    in(command.option("--skip", words.skip, "A-B", "samples never shown; may be repeated"));
    in(command.option("--order", samples.order, "WORD", "feistel, sequential, block, megatron"));
    in(command.option("--order-block", samples.order_block, "N", "samples of a block"));
    in(command.option("--order-window", samples.order_window, "N", "blocks of a window"));
    in(command.option("--order-samples", samples.order_samples, "N", "megatron: of the run"));
    in(command.option("--packing", samples.packing, "WORD", "stream or best-fit"));
    in(command.option("--attention", samples.attention, "WORD", "causal or document"));
    in(command.flag("--mask-boundaries", samples.mask_boundaries,
                    "no loss on the first token of a document"));
    in(command.option("--mask-id", samples.mask_ids, "ID", "a token id without loss"));
    in(command.option("--loss-between", samples.loss_between, "ID",
                      "given twice: loss only after the first id, up to the second"));
}

/// run.toml says them.
void refuse_data_options(const cli::Command& command) {
    for (const char* option :
         {"--weight", "--seq-len", "--global-batch", "--micro-batch", "--seed", "--skip", "--order",
          "--order-block", "--order-window", "--order-samples", "--packing", "--attention",
          "--mask-boundaries", "--mask-id", "--loss-between"}) {
        if (!command.was_given(option)) continue;
        throw UsageError(format("{} does not go with --run, whose run.toml says it", option));
    }
}

double weight_of(const std::string& text) {
    double weight = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), weight);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
        throw UsageError(format("--weight {} is no number", text));
    }
    return weight;
}

void finish_data(const Words& words, int64_t steps, uint64_t from, tokenize::RunData& data) {
    if (!words.weights.empty() && words.weights.size() != words.folders.size()) {
        throw UsageError(
            format("{} --weight for {} folders", words.weights.size(), words.folders.size()));
    }
    for (size_t i = 0; i < words.folders.size(); ++i) {
        const double weight = words.weights.empty() ? 1 : weight_of(words.weights[i]);
        data.parts.push_back({words.folders[i], weight});
    }
    shards::SampleWords samples = words.samples;
    for (const std::string& range : words.skip) {
        data.skip.push_back(shards::parse_skip_range(range));
    }
    if (samples.order == "megatron" && samples.order_samples == 0) {
        samples.order_samples = static_cast<int64_t>(
            from + shards::numbers_passed(steps * data.global_batch, data.skip, from));
    }
    data.options.settings = shards::settings_of(samples);
    data.options.seq_len = static_cast<uint64_t>(words.seq_len);
    data.options.seed = static_cast<uint64_t>(words.seed);
}

}  // namespace

ExitCode run_loader(const cli::Args& args) {
    tokenize::LoaderOptions options;
    Words words;
    cli::Command command("tok-shard loader", "the samples of a training run, their order proven");
    command.positional("DIR", words.folders, "folders of token shards");
    command.option("--run", options.run, "DIR", "run directory of train-run: all of [data]");
    command.flag("--check", options.checks,
                 "replay the steps at several numbers of ranks and report what holds");
    command.flag("--bench", options.benches, "read the samples and report how fast");
    command
        .option("--steps", options.steps, "N",
                "steps; 0 (the default): 1000 with --check or --bench, else 1")
        .without_default()
        .range(0, 1u << 30);
    command.option("--from", options.from, "N", "first sample number of the list")
        .range(0, kMostFrom);
    command.flag("--json", options.as_json, "one JSON object a sample; of a check, all findings");
    add_data_options(command, words, options.data);
    command.parse(args);
    if (options.checks && options.benches) throw UsageError("--check or --bench, not both");
    if (command.was_given("--from") && (options.checks || options.benches)) {
        throw UsageError("--from is for the list of samples, not for --check and --bench");
    }
    // Megatron's order depends on the number of steps, so the default is needed here.
    if (options.steps == 0) options.steps = options.checks || options.benches ? 1000 : 1;
    if (!options.run.empty()) refuse_data_options(command);
    if (options.run.empty()) finish_data(words, options.steps, options.from, options.data);
    if (!options.run.empty() && !words.folders.empty()) {
        throw UsageError("give folders or --run, not both");
    }
    return tokenize::run_loader(std::move(options));
}

}  // namespace longhaul::tok_shard
