// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Does what a manifest records as asked for go with what is there? Every policy that decided the
// tokens is told from what it left: a changed one is found.

#include <string>
#include <vector>

#include "lib/shards/shard_set.h"
#include "lib/token/tokenizer.h"

namespace longhaul::tokenize {

/// The checks of `tok-shard verify` across options, details and shards of a folder of ours, whose
/// shards are sound. @param tokenizer of the folder
/// @return what is wrong, each naming the option
std::vector<std::string> check_policies(const shards::ShardSet& set,
                                        const token::Tokenizer& tokenizer);

}  // namespace longhaul::tokenize
