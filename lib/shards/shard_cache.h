// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Copies of shards on a node's own disk, named by their content, so that no copy can be stale. Any
// number of processes of the node share a folder; what is not used gives way by age.
//
//     DIR/<XXH3-128 of the file>/<its name>    DIR/lock-<00..ff>, DIR/lock-room

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/hash.h"
#include "lib/io/atomic_file.h"

namespace longhaul::shards {

/// A file to have a copy of, as its manifest describes it.
struct CachedFile {
    std::string name;  // inside its folder
    Hash128 hash;
    uint64_t bytes = 0;
};

/// May be used in parallel. A cache that is full of files in use, or broken, is warned about once;
/// the files are then read where they are.
class ShardCache {
 public:
    /// @param limit_bytes of all files together; 0: 90 % of what the disk has.
    ShardCache(std::filesystem::path folder, uint64_t limit_bytes);

    /// Copies what is missing, each process of the node beginning at another place: so they share
    /// the work. Waits for nobody.
    void fill(const std::filesystem::path& source, const std::vector<CachedFile>& files);
    /// The folder in which `file` is to be opened: one of the cache, in which it stays at least as
    /// long as this object lives, else `source`. Waits for a process that is copying the file.
    /// @throws DataError: the source's content is not what its manifest says.
    std::filesystem::path folder_of(const std::filesystem::path& source, const CachedFile& file);

 private:
    enum class Wait { kYes, kNo };
    bool obtain(const std::filesystem::path& source, const CachedFile& file, Wait wait);
    bool lease(const CachedFile& file);
    bool make_room(uint64_t bytes) const;
    std::optional<io::AtomicFile> reserve(const CachedFile& file) const;
    static void copy(const std::filesystem::path& source, const CachedFile& file,
                     io::AtomicFile out);
    io::UniqueFd lock(const std::string& name, Wait wait) const;
    std::filesystem::path path_of(const CachedFile& file) const;
    void complain(const std::string& why, bool is_broken);

    std::filesystem::path folder_;
    uint64_t limit_bytes_;
    std::mutex mutex_;
    std::vector<io::UniqueFd> leases_;  // shared locks on the files in use
    bool has_complained_ = false, is_broken_ = false;
};

}  // namespace longhaul::shards
