// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where shards are cut: the one rule that writing and the plan of a conversion share.

#include <cstdint>

#include "lib/shards/shard_writer.h"

namespace longhaul::shards {

/// Fed with the documents of a unit in order.
class ShardCutter {
 public:
    ShardCutter(const Container& container, uint32_t vocab_size);

    /// @return true when this document begins a new shard (never for the first of a unit).
    bool add(uint64_t num_tokens);
    /// Samples of a full shard, where samples have a fixed number of tokens.
    uint64_t samples_per_shard() const;

 private:
    const Container& container_;
    uint64_t token_bytes_;
    uint64_t empty_bytes_ = 0;               // of an MDS shard without samples, as MDSWriter counts
    uint64_t num_documents_ = 0, used_ = 0;  // of the current shard; tokens, or bytes of MDS
};

}  // namespace longhaul::shards
