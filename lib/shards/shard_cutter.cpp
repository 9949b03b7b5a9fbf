// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/shard_cutter.h"

#include <algorithm>

namespace longhaul::shards {

ShardCutter::ShardCutter(const Container& container, uint32_t vocab_size)
    : container_(container), token_bytes_(token_bytes(container.token_type(vocab_size))) {
    if (container.format != ShardFormat::kMds) return;
    const MdsColumns columns =
        token_columns(container.token_type(vocab_size), container.sample_tokens);
    empty_bytes_ = 8 + mds_config(columns, container.size_limit).size();
    used_ = empty_bytes_;
}

bool ShardCutter::add(uint64_t num_tokens) {
    const bool is_mds = container_.format == ShardFormat::kMds;
    // MDSWriter counts the sample, the u32 of its size and that of its offset.
    const uint64_t size = is_mds ? 8 + open_array_bytes(num_tokens, token_bytes_) : num_tokens;
    const uint64_t limit = is_mds ? container_.size_limit : container_.max_tokens;
    const bool is_full = num_documents_ > 0 && used_ + size > limit;
    if (is_full) {
        num_documents_ = 0;
        used_ = empty_bytes_;
    }
    ++num_documents_;
    used_ += size;
    return is_full;
}

uint64_t ShardCutter::samples_per_shard() const {
    const uint64_t sample = 4 + container_.sample_tokens * token_bytes_;
    if (container_.size_limit < empty_bytes_ + sample) return 1;
    return (container_.size_limit - empty_bytes_) / sample;
}

}  // namespace longhaul::shards
