// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What stats, decode, cat, verify and convert read: our folders say all about themselves, files of
// other programs need options.

#include <cstdint>
#include <memory>
#include <string>

#include "lib/shards/shard_set.h"
#include "lib/token/load.h"
#include "lib/tokenize/resolve_borders.h"

namespace longhaul::tokenize {

struct DataSource {
    std::string path;                  // a folder or a Megatron prefix
    token::TokenizerSource tokenizer;  // of foreign files; path "": not given
    uint64_t vocab_size = 0;           // likewise; 0: not given
    BorderWords bos, eos;              // none: nobody knows
    std::string column = "tokens";     // of MDS
};

struct OpenedData {
    shards::ShardSet set;
    shards::OpenOptions options;                  // for shards::Dataset
    std::unique_ptr<token::Tokenizer> tokenizer;  // null: foreign, and not given
};

/// For a folder of ours. @throws UsageError: options that the folder itself says
void refuse_foreign_options(const DataSource& source);

/// The options for shards::Dataset, and the tokenizer if one was named.
shards::OpenOptions resolve_options(const DataSource& source,
                                    std::unique_ptr<token::Tokenizer>& tokenizer);

/// Also loads the tokenizer of a folder of ours.
/// @throws UsageError: options that the folder itself says
OpenedData open_data(const DataSource& source);

}  // namespace longhaul::tokenize
