// SPDX-License-Identifier: BSD-3-Clause
// stats, decode and cat: what is in a folder of shards.
#include "lib/tokenize/dump.h"
#include "lib/tokenize/stats.h"
#include "tools/tok-shard/subcommands.h"

namespace longhaul::tok_shard {

namespace {

void add_dump_options(cli::Command& command, tokenize::DumpOptions& options) {
    add_data_options(command, options.source);
    command.option("--first", options.first, "N", "number of the first document");
    command.option("--count", options.count, "N", "how many documents; 0 (the default): all")
        .without_default();
    command.flag("--json", options.as_json, "one JSON object a document, with its source");
}

}  // namespace

ExitCode run_stats(const cli::Args& args) {
    tokenize::DataSource source;
    bool as_json = false;
    cli::Command command("tok-shard stats", "totals, bytes per token, document lengths");
    add_data_options(command, source);
    command.flag("--json", as_json, "one JSON object");
    command.parse(args);
    return tokenize::run_stats(source, as_json);
}

ExitCode run_decode(const cli::Args& args) {
    tokenize::DumpOptions options;
    cli::Command command("tok-shard decode", "documents as text");
    add_dump_options(command, options);
    command.flag("--keep-special", options.keep_special, "show control tokens too");
    command.parse(args);
    return tokenize::run_decode(options);
}

ExitCode run_cat(const cli::Args& args) {
    tokenize::DumpOptions options;
    cli::Command command("tok-shard cat", "documents as token ids, one line each");
    add_dump_options(command, options);
    command.parse(args);
    return tokenize::run_cat(options);
}

}  // namespace longhaul::tok_shard
