// SPDX-License-Identifier: BSD-3-Clause
// tok-shard: text to token shards, and everything one does with them.
#include "tools/tok-shard/subcommands.h"

namespace longhaul::tok_shard {

const std::vector<cli::Subcommand>& subcommands() {
    static const std::vector<cli::Subcommand> list = {
        {"encode", "text to token shards (the default)",
         [](const cli::Args& args) { return run_encode("tok-shard encode", args); }},
        {"verify", "is a folder of shards what its manifest says", run_verify},
        {"stats", "totals, bytes per token, document lengths", run_stats},
        {"decode", "documents as text", run_decode},
        {"cat", "documents as token ids", run_cat},
        {"convert", "shards in another format", run_convert},
        {"loader", "the samples of a training run, their order proven", run_loader},
        {"batch", "the documents of a training step", run_batch},
        {"train", "train a BPE tokenizer", run_train},
        {"selftest", "fast path against general path for a tokenizer", run_selftest}};
    return list;
}

}  // namespace longhaul::tok_shard

int main(int argc, char** argv) {
    using namespace longhaul;
    return cli::run_main("tok-shard", argc, argv, [&](const cli::Args& args) {
        const auto encode = [](const cli::Args& rest) {
            return tok_shard::run_encode("tok-shard", rest);
        };
        return cli::dispatch("tok-shard", "text to token shards", args, tok_shard::subcommands(),
                             encode);
    });
}
