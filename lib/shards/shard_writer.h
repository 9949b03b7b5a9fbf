// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Writes the shards of one unit. Sizes must be known when an HDF5 file is created, so documents are
// spooled to unnamed temporary files first; memory does not grow with the shard.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "lib/shards/format.h"

namespace longhaul::shards {

struct ShardWriterOptions {
    std::filesystem::path folder;   // of the shards
    std::filesystem::path tmp_dir;  // of the spools
    uint64_t unit = 0;
    uint64_t max_tokens = uint64_t{1} << 28;  // a document that would pass it begins a new shard
    TokenType token_type = TokenType::kU16;
    uint32_t vocab_size = 0;
    Hash128 tokenizer_hash;
};

/// Not thread-safe. Shards appear under their names complete or not at all.
class ShardWriter {
 public:
    explicit ShardWriter(const ShardWriterOptions& options);
    ~ShardWriter();

    /// Adds a document. @param record counted from the begin of the segment.
    void add(std::span<const uint32_t> ids, uint32_t input, uint64_t record);
    /// Finishes the last shard. @return all shards of the unit in order.
    /// @throws IoError (disk full, ...), StoreError
    std::vector<ShardEntry> close();

 private:
    struct Spool;
    void finish_shard();

    ShardWriterOptions options_;
    std::unique_ptr<Spool> tokens_, offsets_, sources_;
    uint64_t num_tokens_ = 0, num_documents_ = 0;  // of the current shard
    uint32_t max_id_ = 0;
    std::vector<uint16_t> narrow_;
    std::vector<ShardEntry> done_;
};

}  // namespace longhaul::shards
