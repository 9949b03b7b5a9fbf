// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Damage in shards that are converted would be written under new hashes, and never be found again.

#include <memory>
#include <mutex>
#include <vector>

#include "lib/shards/format.h"
#include "lib/shards/shard_set.h"

namespace longhaul::tokenize {

/// Reads shards of ours a second time, each when it is first needed. Thread-safe.
class SourceHashes {
 public:
    /// @param set outlives this; files of other programs have no hashes, and nothing is checked.
    explicit SourceHashes(const shards::ShardSet& set);

    /// The shards that hold the tokens [first, first + count), and the documents of none.
    /// @throws DataError naming file and bytes that are not those of the manifest
    void check(uint64_t first_token, uint64_t num_tokens);

 private:
    struct Shard {
        std::once_flag is_checked;
        uint64_t first_token = 0, num_tokens = 0;
        std::vector<shards::StoredPart> parts;
    };

    void check_part(const shards::StoredPart& part) const;

    const shards::ShardSet& set_;
    std::vector<std::unique_ptr<Shard>> shards_;
    std::once_flag is_set_checked_;
    std::vector<shards::StoredPart> of_set_;  // of all shards together, such as a merged index
};

}  // namespace longhaul::tokenize
