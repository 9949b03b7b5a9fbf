// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Shards as a cache takes them: which files belong together, and what is known of their content.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/base/hash.h"
#include "lib/shards/format.h"

namespace longhaul::shards {

/// A file to have a copy of.
struct CachedFile {
    struct Part {
        uint64_t bytes = 0;
        Hash128 hash;
    };
    std::string name;  // inside its folder
    uint64_t bytes = 0;
    std::vector<Part> parts;  // from its begin to its end, as the manifest says; none: not said
};

/// The files that are opened together, from one folder.
struct CachedShard {
    std::vector<CachedFile> files;
};

/// One for each of details.shards; a merged set is one file, so it is one for all.
/// @param folder where they are now: says the sizes that no manifest does. @throws IoError
std::vector<CachedShard> cached_shards(const std::filesystem::path& folder,
                                       const ShardDetails& details);

/// Of a file whose parts are known.
Hash128 content_of(const CachedFile& file);
/// Names a shard by its content. @param contents one for each file
Hash128 key_of(const CachedShard& shard, std::span<const Hash128> contents);

/// What tells that a file was not changed without reading it.
struct FileState {
    std::filesystem::path path;  // absolute
    uint64_t bytes = 0, inode = 0;
    int64_t modified_ns = 0;
    bool operator==(const FileState&) const = default;
};
/// @throws IoError
FileState state_of(const std::filesystem::path& path);

/// The content that the file had in this state, if it was remembered in `folder`.
std::optional<Hash128> remembered_content(const std::filesystem::path& folder,
                                          const FileState& state);
/// Writes folder/known-<hash of the path>. @throws IoError
void remember_content(const std::filesystem::path& folder, const FileState& state,
                      const Hash128& content);

}  // namespace longhaul::shards
