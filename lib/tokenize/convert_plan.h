// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which tokens of a set become which shard of another format.

#include <cstdint>
#include <vector>

#include "lib/shards/shard_writer.h"
#include "lib/tokenize/convert_source.h"

namespace longhaul::tokenize {

/// A shard to be: tokens of documents [first_document, first_document + num_documents). Where
/// samples have a fixed length, of the first and the last document it may hold a part only.
struct PlannedShard {
    uint64_t unit = 0, number = 0;
    uint64_t first_document = 0, num_documents = 0;
    uint64_t first_token = 0, num_tokens = 0;
};

struct ConvertPlan {
    std::vector<PlannedShard> shards;
    uint64_t dropped_tokens = 0;  // at the end of units, too few for a sample
};

/// Cuts each unit as ShardWriter would cut it. Reads all document offsets, unless the source's own
/// cuts are known to be those.
/// @param entries the source's shards when they are cut by the same rule, else null.
ConvertPlan plan_conversion(const SetReader& reader, const shards::Container& container,
                            uint32_t vocab_size, const std::vector<shards::ShardEntry>* entries);

}  // namespace longhaul::tokenize
