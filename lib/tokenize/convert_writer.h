// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Writes one shard of a conversion, in a file of its own or as its part of one Megatron .bin.

#include <cstdint>
#include <filesystem>

#include "lib/shards/shard_writer.h"
#include "lib/tokenize/convert_plan.h"

namespace longhaul::tokenize {

struct ShardTarget {
    std::filesystem::path folder, tmp_dir;
    shards::Container container;
    shards::SetIdentity identity;
};

/// A shard file and what lies beside it.
shards::ShardEntry write_shard(const SetReader& reader, const PlannedShard& planned,
                               const ShardTarget& target);

/// Creates the merged .bin with its final size, if it is not there yet: any task may do it.
void prepare_merged(const std::filesystem::path& bin, uint64_t bytes);
/// Writes the part at its place in `bin`, and its .docs.h5.
/// @throws DataError: a document longer than Megatron's index can say
shards::ShardEntry write_merged_part(const SetReader& reader, const PlannedShard& planned,
                                     const ShardTarget& target, const std::filesystem::path& bin);
/// The .idx of the merged .bin.
shards::SideFile write_merged_index(const SetReader& reader, shards::TokenType type,
                                    const std::filesystem::path& idx);

}  // namespace longhaul::tokenize
