// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/train.h"

#include "lib/base/error.h"
#include "lib/cluster/environment.h"
#include "tools/tok-shard/subcommands.h"

namespace longhaul::tok_shard {

ExitCode run_train(const cli::Args& args) {
    tokenize::TrainJob job;
    ReaderWords words;
    cli::CommonOptions common;
    std::string pattern = "gpt2";
    uint64_t vocab_size = job.train.vocab_size;
    std::vector<std::string> specials;
    cli::Command command("tok-shard train", "train a BPE tokenizer on documents");
    command.option("-o,--output", job.output, "FILE", "tokenizer.json to write").required();
    command.positional("INPUT", job.inputs, "documents; - is stdin").required();
    command.option("--vocab-size", vocab_size, "N", "tokens, control tokens and bytes included");
    command.option("--pattern", pattern, "NAME",
                   "how text is cut: gpt2, cl100k, o200k, llama3, qwen2 ... (man page)");
    command.option("--special", specials, "TEXT",
                   "control token, may be repeated; default <|endoftext|>");
    command.option("--min-frequency", job.train.min_frequency, "N", "a rarer pair does not merge");
    command.flag("--force", job.force, "replace FILE");
    add_reader_options(command, job.reader, words);
    cli::add_common_options(command, common, cli::kQuietVerbose | cli::kProgress | cli::kThreads);
    command.parse(args);
    const uint64_t num_ranks = cluster::read_rank_share().count;
    if (num_ranks > 1) {
        throw UsageError(format("{} ranks would all do the same; start one", num_ranks));
    }
    finish_reader_options(job.reader, words);
    if (words.invalid_utf8 == "bytes") {
        throw UsageError("--invalid-utf8 bytes: train counts pieces of text; give bad or replace");
    }
    const auto scheme = token::scheme_by_name(pattern);
    if (!scheme) throw UsageError(format("--pattern: unknown pattern \"{}\"", pattern));
    if (vocab_size > token::kMaxTokenId) throw UsageError("--vocab-size is too large");
    job.train.scheme = *scheme;
    job.train.vocab_size = static_cast<uint32_t>(vocab_size);
    job.train.specials = specials.empty() ? std::vector<std::string>{"<|endoftext|>"} : specials;
    job.threads = cli::resolve_threads(common.threads);
    job.progress = common.progress;
    return tokenize::run_train(job);
}

}  // namespace longhaul::tok_shard
