// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/verify.h"

#include "lib/cli/output.h"
#include "lib/io/json.h"
#include "tools/tok-shard/subcommands.h"

namespace longhaul::tok_shard {

ExitCode run_verify(const cli::Args& args) {
    tokenize::VerifyOptions options;
    bool as_json = false, skips_hashes = false;
    cli::CommonOptions common;
    cli::Command command("tok-shard verify", "is a folder of shards what its manifest says");
    add_data_options(command, options.source);
    command.option("--sample", options.sample.count, "N", "documents compared with their sources");
    command.option("--seed", options.sample.seed, "N", "which ones");
    command.flag("--skip-hashes", skips_hashes, "do not read the shards to check their hashes");
    command.flag("--json", as_json, "findings as one JSON object");
    cli::add_common_options(command, common, cli::kQuietVerbose | cli::kProgress);
    command.parse(args);
    options.progress = common.progress;
    options.check_hashes = !skips_hashes;
    const auto findings = tokenize::verify(options);
    if (as_json) {
        cli::print_line("{}", io::to_line(io::Json{{"schema", 1},
                                                   {"tool", "tok-shard verify"},
                                                   {"findings", record::to_json(findings)}}));
    } else {
        cli::print(record::to_text(findings));
    }
    return record::exit_code(findings);
}

}  // namespace longhaul::tok_shard
