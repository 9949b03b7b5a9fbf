// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a user names when asked for tokens: a folder of tok-shard's, a Megatron prefix, an MDS
// folder.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "lib/shards/format.h"
#include "lib/shards/shard_file.h"

namespace longhaul::shards {

struct ShardSet {
    std::filesystem::path path;    // as given
    std::filesystem::path folder;  // that the files of `details` lie in
    ShardDetails details;
    std::optional<record::Manifest> manifest;  // none when foreign
    /// Of the manifest. Foreign: of the index, and of the ends of a Megatron .bin (a whole one can
    /// not be read at each start).
    Hash128 hash;

    /// The tokenizer's folder in it, "" when foreign.
    std::string tokenizer_folder() const;
};

/// True for what open_shard_set() would read as files of another program, damaged or not.
bool is_foreign_set(const std::filesystem::path& path);

/// @throws DataError: nothing of the kind there, or its index is damaged; UsageError: foreign, and
///         the size of the vocabulary is not said.
ShardSet open_shard_set(const std::filesystem::path& path, const OpenOptions& options = {});

}  // namespace longhaul::shards
