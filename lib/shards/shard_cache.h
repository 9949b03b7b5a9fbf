// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Copies of shards on a node's own disk, named by their content, so that no copy can be stale. Any
// number of processes of the node share a folder; what is not used gives way by age.
//
//     DIR/<hash of the shard>/<names of its files>    DIR/lock-<00..ff>, DIR/lock-room
//     DIR/known-<hash of a path>: the content of a file that no manifest tells
//     DIR/new-<hash of a path>/: copies of such files until their content is known

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/hash.h"
#include "lib/io/atomic_file.h"
#include "lib/shards/cached_shard.h"

namespace longhaul::shards {

/// May be used in parallel. A cache that is full of files in use, or broken, is warned about once;
/// the files are then read where they are.
class ShardCache {
 public:
    /// @param limit_bytes of all files together; 0: 90 % of what the disk has.
    ShardCache(std::filesystem::path folder, uint64_t limit_bytes);

    /// Copies what is missing, several shards at a time, each process of the node beginning at
    /// another place: so they share the work. Waits for nobody. @throws DataError as folder_of()
    void fill(const std::filesystem::path& source, const std::vector<CachedShard>& shards);
    /// The folder in which the files of `shard` are to be opened: one of the cache, in which they
    /// stay at least as long as this object lives, else `source`. Waits for a process that is
    /// copying them. @throws DataError: the source's content is not what its manifest says.
    std::filesystem::path folder_of(const std::filesystem::path& source, const CachedShard& shard);

 private:
    enum class Wait { kYes, kNo };
    using Key = std::optional<Hash128>;
    using Leases = std::vector<io::UniqueFd>;  // shared locks on files

    Key obtain(const std::filesystem::path& source, const CachedShard& shard, Wait wait);
    Key known_key(const std::filesystem::path& source, const CachedShard& shard) const;
    bool lease(const Hash128& key, const CachedShard& shard);
    Key copy_shard(const std::filesystem::path& source, const CachedShard& shard, const Key& key);
    std::optional<Hash128> copy_file(const std::filesystem::path& source, const CachedFile& file,
                                     const std::filesystem::path& target, Leases& held);
    Key name_by_content(const std::filesystem::path& copies, const CachedShard& shard,
                        const std::vector<FileState>& states,
                        const std::vector<Hash128>& contents) const;
    bool make_room(uint64_t bytes) const;
    std::optional<io::AtomicFile> reserve(const std::filesystem::path& target,
                                          uint64_t bytes) const;
    io::UniqueFd lock(const std::string& name, Wait wait) const;
    std::filesystem::path path_of(const Hash128& key) const { return folder_ / key.hex(); }
    void complain(const std::string& why, bool is_broken);

    std::filesystem::path folder_;
    uint64_t limit_bytes_;
    std::mutex mutex_;
    Leases leases_;  // of the files in use
    bool has_complained_ = false, is_broken_ = false;
};

}  // namespace longhaul::shards
