// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/threads.h"
#include "lib/cli/command.h"
#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "lib/train/text_generator.h"
#include "tools/train-run/subcommands.h"

namespace longhaul::train_run {

namespace {

void print_json(const train::TextOptions& options, const train::TextResult& result) {
    io::Json json;
    json["schema"] = 1;
    json["step"] = result.step;
    json["prompt"] = options.prompt;
    json["text"] = result.text;
    json["prompt_tokens"] = result.prompt_tokens;
    json["new_tokens"] = result.new_tokens;
    json["stop_reason"] = train::name_of(result.reason);
    json["seconds"] = result.seconds;
    cli::print_line("{}", io::to_line(json));
}

}  // namespace

ExitCode run_generate(const cli::Args& args) {
    train::TextOptions options;
    train::SamplingOptions& sampling = options.generate.sampling;
    std::string compute = "f32";
    bool json = false, no_stop = false;
    cli::CommonOptions common;
    cli::Command command("train-run generate", "text from a checkpoint");
    command.positional("CHECKPOINT", options.checkpoint, "step-* folder, or a run: its newest one")
        .required();
    command.option("--prompt", options.prompt, "TEXT", "beginning of the text");
    command.option("--max-tokens", options.generate.max_tokens, "N", "new tokens at most")
        .range(0, 1e9);
    command.option("--temperature", sampling.temperature, "X", "0: always the likeliest token");
    command.option("--top-k", sampling.top_k, "N", "only the N likeliest tokens; 0: all");
    command.option("--top-p", sampling.top_p, "X",
                   "only the likeliest tokens that together reach X");
    command.option("--seed", sampling.seed, "N", "of the draws").range(0, 18446744073709551615.0);
    command.flag("--ignore-end", no_stop, "go on after an end of document");
    command.option("--tokenizer", options.tokenizer, "PATH",
                   "default: CHECKPOINT/tokenizer, else that of its data");
    command.option("--compute", compute, "TYPE", "element type").choices({"f32", "bf16", "f64"});
    command.flag("--json", json, "one JSON object instead of text");
    cli::add_common_options(command, common, cli::kQuietVerbose | cli::kThreads);
    command.parse(args);
    options.stop_at_end = !no_stop;
    options.compute = tensor::dtype_from_name(compute).value_or(tensor::DType::kF32);

    kernels::set_num_threads(cli::resolve_threads(common.threads));
    bool has_begun = false;  // nothing is printed before everything is known to be right
    const auto result = train::generate_text(options, [&](std::string_view piece) {
        if (json) return;
        if (!has_begun) cli::print(options.prompt);
        has_begun = true;
        cli::print(piece);
        cli::flush_output();  // people watch it grow
    });
    if (json) {
        print_json(options, result);
    } else {
        if (!has_begun) cli::print(options.prompt);
        cli::print("\n");
    }
    return ExitCode::kOk;
}

}  // namespace longhaul::train_run
