// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sub-commands of tok-shard, and the options that several of them share.

#include <string>

#include "lib/cli/command.h"
#include "lib/cli/run_main.h"
#include "lib/corpus/document_reader.h"
#include "lib/shards/shard_writer.h"
#include "lib/token/load.h"
#include "lib/tokenize/data_source.h"

namespace longhaul::tok_shard {

/// With their lines in --help.
const std::vector<cli::Subcommand>& subcommands();

/// @param name "tok-shard", or with its sub-command
ExitCode run_encode(const std::string& name, const cli::Args& args);
ExitCode run_verify(const cli::Args& args);
ExitCode run_stats(const cli::Args& args);
ExitCode run_decode(const cli::Args& args);
ExitCode run_cat(const cli::Args& args);
ExitCode run_train(const cli::Args& args);
ExitCode run_selftest(const cli::Args& args);
ExitCode run_batch(const cli::Args& args);
ExitCode run_loader(const cli::Args& args);
ExitCode run_convert(const cli::Args& args);

/// -t, --pattern, --special.
void add_tokenizer_options(cli::Command& command, token::TokenizerSource& source);

/// The format of the shards, before it is looked at.
struct ContainerWords {
    std::string format = "hdf5", mds_type = "int32";
    uint64_t shard_tokens = uint64_t{1} << 28, mds_sample = 0;
    cli::Bytes mds_size_limit{shards::kMdsSizeLimit};
};
/// @param is_conversion the format must be said, and the source gives the default of the rest
void add_container_options(cli::Command& command, ContainerWords& words,
                           bool is_conversion = false);
/// After parse(). @throws UsageError
shards::Container finish_container_options(const cli::Command& command,
                                           const ContainerWords& words);

/// --eos and --bos.
void add_border_options(cli::Command& command, tokenize::BorderWords& bos,
                        tokenize::BorderWords& eos, const std::string& group);

/// Names what is read, and says what files of other programs do not say.
void add_data_options(cli::Command& command, tokenize::DataSource& source);

/// How documents are read: the same words in every program that reads them.
struct ReaderWords {
    cli::Bytes max_line{64ull << 20};
    std::string on_bad_record = "skip", max_bad_records = "1%", invalid_utf8 = "bad";
    std::string lone_surrogates = "replace";
};
void add_reader_options(cli::Command& command, corpus::ReaderOptions& reader, ReaderWords& words);
/// After parse(). @throws UsageError
void finish_reader_options(corpus::ReaderOptions& reader, const ReaderWords& words);

}  // namespace longhaul::tok_shard
