// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reading Megatron's .bin and .idx.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "lib/shards/hdf5_shard.h"
#include "lib/shards/megatron_index.h"
#include "lib/shards/read_file.h"
#include "lib/shards/shard_file.h"

namespace longhaul::shards {

/// A prefix, or the part of a merged one that a shard became. A document is what the index calls
/// so: any number of sequences. The sequences must lie in .bin in their order without gaps.
/// Opening checks the ends; each array is checked where it is read.
class MegatronShard : public ShardFile {
 public:
    MegatronShard(const std::filesystem::path& folder, const ShardDetails& details, size_t index);

    void read_tokens(uint64_t first, std::span<uint32_t> out) const override;
    void read_tokens(uint64_t first, std::span<int32_t> out) const override;
    void will_need(uint64_t first, uint64_t count) const override;
    const std::byte* mapped(uint64_t first, uint64_t count) const override;
    void map() override;
    void read_offsets(uint64_t first, std::span<uint64_t> out) const override;
    void read_sources(uint64_t first, std::span<uint64_t> out) const override;

    /// Compares every length with its offsets.
    std::string check_container() const override;

 private:
    void find_part(const ShardDetails& details, size_t index);
    void check_entry(const ShardDetails& details, const ShardEntry& entry) const;

    std::string index_name_;
    ReadFile bin_;
    std::unique_ptr<MegatronIndex> index_;
    std::unique_ptr<DocumentTable> table_;
    uint64_t first_token_ = 0, first_document_ = 0;  // of the part
    bool is_part_ = false;
};

}  // namespace longhaul::shards
