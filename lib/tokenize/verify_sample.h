// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The documents of a sample beside their sources: `tok-shard verify --sample`.

#include <cstdint>
#include <vector>

#include "lib/record/finding.h"
#include "lib/shards/dataset.h"
#include "lib/shards/shard_set.h"
#include "lib/token/tokenizer.h"

namespace longhaul::tokenize {

/// Which documents: `count` of them, drawn by `seed`.
struct VerifySample {
    uint64_t count = 1000, seed = 0;
};

/// The texts must encode to the ids and, where the tokenizer loses nothing, the ids decode to the
/// texts. Sources that are not there any more are notes.
/// @param set a sound folder of ours @param remedy of failures
std::vector<record::Finding> check_sample(const shards::ShardSet& set,
                                          const shards::Dataset& dataset,
                                          const token::Tokenizer& tokenizer,
                                          const VerifySample& sample, const char* remedy);

}  // namespace longhaul::tokenize
