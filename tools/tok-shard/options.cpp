// SPDX-License-Identifier: BSD-3-Clause
// Options that several sub-commands share.
#include "lib/base/error.h"
#include "tools/tok-shard/subcommands.h"

namespace longhaul::tok_shard {

void add_tokenizer_options(cli::Command& command, token::TokenizerSource& source) {
    command
        .option("-t,--tokenizer", source.path, "FILE",
                "tokenizer.json, .model, vocab.json, rank file, or a folder of them")
        .required();
    command.option(
        "--pattern", source.pattern, "NAME",
        "how text is cut, where the file does not say it: gpt2, cl100k, o200k, llama3, qwen2 ... "
        "(man page)");
    command.option("--special", source.specials, "TEXT=ID",
                   "a control token, where the file does not list it; may be repeated");
}

void add_container_options(cli::Command& command, ContainerWords& words, bool is_conversion) {
    const std::string group = "Format of the shards";
    auto format = command.option("--format", words.format, "WORD", "hdf5, megatron or mds")
                      .choices({"hdf5", "megatron", "mds"})
                      .group(group);
    auto shard_tokens = command
                            .option("--shard-tokens", words.shard_tokens, "N",
                                    "hdf5, megatron: a shard is closed at this size")
                            .group(group);
    if (is_conversion) {
        format.required();
        shard_tokens.without_default();
    }
    command
        .option("--mds-sample", words.mds_sample, "N",
                "mds: cut the documents in a row into samples of N tokens; 0: a sample a document")
        .group(group);
    command.option("--mds-type", words.mds_type, "WORD", "mds: int32, uint16, uint32 or int64")
        .choices({"int32", "uint16", "uint32", "int64"})
        .group(group);
    command
        .option("--mds-size-limit", words.mds_size_limit, "SIZE",
                "mds: a shard is closed at this size")
        .group(group);
}

shards::Container finish_container_options(const cli::Command& command,
                                           const ContainerWords& words) {
    shards::Container container;
    container.format = *shards::shard_format_by_name(words.format);
    const bool is_mds = container.format == shards::ShardFormat::kMds;
    for (const char* option : {"--mds-sample", "--mds-type", "--mds-size-limit"}) {
        if (!is_mds && command.was_given(option)) {
            throw UsageError(format("{} goes with --format mds", option));
        }
    }
    if (is_mds && command.was_given("--shard-tokens")) {
        throw UsageError("--shard-tokens does not go with --format mds: see --mds-size-limit");
    }
    container.max_tokens = words.shard_tokens;
    container.sample_tokens = words.mds_sample;
    container.size_limit = words.mds_size_limit.value;
    container.mds_type = words.mds_type == "uint16"   ? shards::TokenType::kU16
                         : words.mds_type == "uint32" ? shards::TokenType::kU32
                         : words.mds_type == "int64"  ? shards::TokenType::kI64
                                                      : shards::TokenType::kI32;
    if (container.max_tokens == 0) throw UsageError("--shard-tokens must be above 0");
    if (container.size_limit == 0 || container.size_limit > shards::kMdsMaxShardBytes) {
        throw UsageError("--mds-size-limit must be above 0 and below 4GiB: offsets have 32 bits");
    }
    constexpr uint64_t kMaxSample = uint64_t{1} << 28;
    if (container.sample_tokens > kMaxSample) throw UsageError("--mds-sample is too large");
    return container;
}

void add_border_options(cli::Command& command, tokenize::BorderWords& bos,
                        tokenize::BorderWords& eos, const std::string& group) {
    command
        .option("--eos", eos, "TOKEN",
                "ends each document: a token or id:N, again for more; or auto, template, none")
        .group(group);
    command.option("--bos", bos, "TOKEN", "begins each document, likewise").group(group);
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
    command.option("--vocab-size", source.vocab_size, "N", "ids are below it")
        .without_default()
        .group(group);
    add_border_options(command, source.bos, source.eos, group);
    command.option("--column", source.column, "NAME", "of MDS: the one with the ids").group(group);
}

void add_reader_options(cli::Command& command, corpus::ReaderOptions& reader, ReaderWords& words) {
    const std::string group = "Reading documents";
    command.option("--input-format", reader.layout, "WORD", "auto, jsonl, lines, file or parquet")
        .group(group);
    command.option("--text-field", reader.text_field, "NAME", "member with the text").group(group);
    command.option("--max-line", words.max_line, "SIZE", "longer lines are bad records")
        .group(group);
    command
        .option("--invalid-utf8", words.invalid_utf8, "WORD",
                "records that are not UTF-8: bad, replace (by U+FFFD) or bytes (kept)")
        .choices({"bad", "replace", "bytes"})
        .group(group);
    command
        .option("--lone-surrogates", words.lone_surrogates, "WORD",
                "half a pair of \\u escapes: replace (by U+FFFD) or bad")
        .choices({"replace", "bad"})
        .group(group);
    command.option("--on-bad-record", words.on_bad_record, "WORD", "skip or fail").group(group);
    command
        .option("--max-bad-records", words.max_bad_records, "N",
                "more than this share or number is an error")
        .group(group);
}

void finish_reader_options(corpus::ReaderOptions& reader, const ReaderWords& words) {
    reader.max_line_bytes = words.max_line.value;
    reader.text_policy = {*corpus::invalid_utf8_by_name(words.invalid_utf8),
                          words.lone_surrogates == "bad"};
    reader.policy = corpus::BadRecordPolicy::parse(words.on_bad_record, words.max_bad_records);
}

}  // namespace longhaul::tok_shard
