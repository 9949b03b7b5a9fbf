// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/selftest.h"

#include "tools/tok-shard/subcommands.h"

namespace longhaul::tok_shard {

ExitCode run_selftest(const cli::Args& args) {
    tokenize::SelftestOptions options;
    cli::Command command("tok-shard selftest", "fast path against general path for a tokenizer");
    add_tokenizer_options(command, options.tokenizer);
    command.positional("FILE", options.files, "text to try besides generated texts");
    command.option("--texts", options.num_generated, "N", "generated texts");
    command.option("--seed", options.seed, "N", "which ones");
    command.parse(args);
    return tokenize::run_selftest(options);
}

}  // namespace longhaul::tok_shard
