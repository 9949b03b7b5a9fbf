// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The checks of `tok-shard verify` inside one shard file.

#include <cstdint>
#include <functional>
#include <string>

#include "lib/shards/shard_file.h"
#include "lib/token/tokenizer.h"

namespace longhaul::tokenize {

/// Reads the whole shard once.
/// @param tokenizer may be null: then only the range of ids is checked, not that each is a token.
/// @return what is wrong, with its place, or "".
std::string check_shard_content(const shards::ShardFile& shard, const shards::ShardEntry& entry,
                                const shards::ShardDetails& details,
                                const token::Tokenizer* tokenizer);

}  // namespace longhaul::tokenize
