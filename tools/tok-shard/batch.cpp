// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/batch.h"

#include "tools/tok-shard/subcommands.h"

namespace longhaul::tok_shard {

ExitCode run_batch(const cli::Args& args) {
    tokenize::BatchOptions options;
    uint64_t sample = 0;
    cli::Command command("tok-shard batch", "the documents of a training step, with their sources");
    command.option("--run", options.run, "DIR", "run directory of train-run").required();
    command.option("--step", options.step, "N", "step of the run").required();
    command.option("--sample", sample, "N", "one sample of the step only, by its place")
        .without_default();
    command.option("--width", options.width, "N", "bytes of text shown a document; 0: all");
    command.flag("--json", options.as_json, "one JSON object a document");
    command.parse(args);
    if (command.was_given("--sample")) options.sample = sample;
    return tokenize::run_batch(options);
}

}  // namespace longhaul::tok_shard
