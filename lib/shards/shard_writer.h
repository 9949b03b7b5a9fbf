// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Writes the shards of one unit in any format. Sizes must be known when a file is created, so
// documents are spooled to unnamed temporary files first; memory does not grow with the shard.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "lib/shards/format.h"
#include "lib/shards/mds_format.h"

namespace longhaul::shards {

/// How tokens are stored, as the user asks for it.
struct Container {
    ShardFormat format = ShardFormat::kHdf5;
    uint64_t max_tokens = uint64_t{1} << 28;  // a document that would pass it begins a new shard
    // MDS only:
    TokenType mds_type = TokenType::kI32;
    uint64_t sample_tokens =
        0;  // cut all documents in a row into samples of this length; 0: do not
    uint64_t size_limit = kMdsSizeLimit;  // a sample that would pass these bytes begins a new shard

    /// The type of ids in the files. @throws UsageError: mds_type can not hold them
    TokenType token_type(uint32_t vocab_size) const;
};

struct ShardWriterOptions {
    std::filesystem::path folder;   // of the shards
    std::filesystem::path tmp_dir;  // of the spools
    Container container;
    uint64_t unit = 0;
    uint64_t first_number = 0;  // of the shards in the unit
    SetIdentity identity;
};

/// Not thread-safe. Shards appear under their names complete or not at all.
class ShardWriter {
 public:
    explicit ShardWriter(const ShardWriterOptions& options);
    ~ShardWriter();

    /// Adds a document. @param record counted from the begin of the segment.
    /// @throws DataError: too long for the format, by input and record
    void add(std::span<const uint32_t> ids, uint32_t input, uint64_t record);
    /// The same for a document that comes in parts: num_ids in all, then append() them.
    void begin_document(uint64_t num_ids, uint64_t input, uint64_t record);
    void append(std::span<const uint32_t> ids);
    /// Finishes the last shard. @return all shards of the unit in order.
    /// @throws IoError (disk full, ...), StoreError
    std::vector<ShardEntry> close();
    /// After close(): tokens at the end that filled no sample and were left out.
    uint64_t num_dropped_tokens() const;

 private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace longhaul::shards
