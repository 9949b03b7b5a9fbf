// SPDX-License-Identifier: BSD-3-Clause
// tok-shard: text to token shards, and everything one does with them.
#include "tools/tok-shard/subcommands.h"

namespace longhaul::tok_shard {

void add_tokenizer_options(cli::Command& command, token::TokenizerSource& source) {
    command
        .option("-t,--tokenizer", source.path, "FILE",
                "tokenizer.json, vocab.json, rank file, or a folder of them")
        .required();
    command.option(
        "--pattern", source.pattern, "NAME",
        "how text is cut, where the file does not say it: gpt2, cl100k, o200k, llama3, qwen2 ... "
        "(man page)");
    command.option("--special", source.specials, "TEXT=ID",
                   "a control token, where the file does not list it; may be repeated");
}

void add_data_options(cli::Command& command, tokenize::DataSource& source) {
    command
        .positional("DIR", source.path, "folder of the shards, a Megatron prefix or an MDS folder")
        .required();
    const std::string group = "Megatron and MDS files of other programs";
    command.option("-t,--tokenizer", source.tokenizer.path, "FILE", "the tokenizer of their ids")
        .group(group);
    command.option("--pattern", source.tokenizer.pattern, "NAME", "how it cuts text, see tok-shard")
        .group(group);
    command
        .option("--special", source.tokenizer.specials, "TEXT=ID",
                "a control token, see tok-shard; may be repeated")
        .group(group);
    command.option("--vocab-size", source.vocab_size, "N", "ids are below it").group(group);
    command.option("--eos", source.eos, "TOKEN", "the token that ends each document").group(group);
    command.option("--bos", source.bos, "TOKEN", "the token that begins each document")
        .group(group);
    command.option("--column", source.column, "NAME", "of MDS: the one with the ids").group(group);
}

void add_reader_options(cli::Command& command, corpus::ReaderOptions& reader, ReaderWords& words) {
    const std::string group = "Reading documents";
    command.option("--input-format", reader.layout, "WORD", "auto, jsonl, lines, file or parquet")
        .group(group);
    command.option("--text-field", reader.text_field, "NAME", "member with the text").group(group);
    command.option("--max-line", words.max_line, "SIZE", "longer lines are bad records")
        .group(group);
    command.option("--on-bad-record", words.on_bad_record, "WORD", "skip or fail").group(group);
    command
        .option("--max-bad-records", words.max_bad_records, "N",
                "more than this share or number is an error")
        .group(group);
}

void finish_reader_options(corpus::ReaderOptions& reader, const ReaderWords& words) {
    reader.max_line_bytes = words.max_line.value;
    reader.policy = corpus::BadRecordPolicy::parse(words.on_bad_record, words.max_bad_records);
}

}  // namespace longhaul::tok_shard

int main(int argc, char** argv) {
    using namespace longhaul;
    const std::vector<cli::Subcommand> subcommands = {
        {"verify", "is a folder of shards what its manifest says", tok_shard::run_verify},
        {"stats", "totals, bytes per token, document lengths", tok_shard::run_stats},
        {"decode", "documents as text", tok_shard::run_decode},
        {"cat", "documents as token ids", tok_shard::run_cat},
        {"loader", "the samples of a training run, their order proven", tok_shard::run_loader},
        {"batch", "the documents of a training step", tok_shard::run_batch},
        {"train", "train a BPE tokenizer", tok_shard::run_train},
        {"selftest", "fast path against general path for a tokenizer", tok_shard::run_selftest}};
    return cli::run_main("tok-shard", argc, argv, [&](const cli::Args& args) {
        return cli::dispatch("tok-shard", "text to token shards", args, subcommands,
                             tok_shard::run_encode);
    });
}
