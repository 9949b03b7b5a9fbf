// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// All shards of a set as one row of documents, for conversion.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lib/shards/shard_file.h"
#include "lib/shards/shard_set.h"

namespace longhaul::tokenize {

/// The shards of one unit.
struct UnitRange {
    uint64_t unit = 0;
    uint64_t first_document = 0, num_documents = 0;
    uint64_t first_token = 0, num_tokens = 0;
};

/// Numbers count over the whole set. All members may be called in parallel.
class SetReader {
 public:
    explicit SetReader(const shards::ShardSet& set);

    uint64_t num_documents() const { return first_document_.back(); }
    uint64_t num_tokens() const { return first_token_.back(); }
    const std::vector<UnitRange>& units() const { return units_; }

    /// First tokens of documents first, ...; that of num_documents() is num_tokens().
    void read_offsets(uint64_t first, std::span<uint64_t> out) const;
    /// Pairs (input, record within its segment).
    void read_sources(uint64_t first, std::span<uint64_t> out) const;
    /// @throws DataError: an id outside of the vocabulary
    void read_tokens(uint64_t first, std::span<uint32_t> out) const;

 private:
    uint32_t vocab_size_;
    std::vector<std::unique_ptr<shards::ShardFile>> shards_;
    std::vector<uint64_t> first_document_{0}, first_token_{0};
    std::vector<UnitRange> units_;
};

/// Documents [first, first + count) in order, with their tokens. Not thread-safe.
class DocumentCursor {
 public:
    DocumentCursor(const SetReader& reader, uint64_t first, uint64_t count);

    struct Document {
        uint64_t first_token = 0, num_tokens = 0;
        uint64_t input = 0, record = 0;
    };
    /// @return false at the end.
    bool next(Document& document);

 private:
    static constexpr uint64_t kBlock = 4096;

    const SetReader& reader_;
    uint64_t next_, end_;
    uint64_t block_begin_ = 0, block_end_ = 0;
    std::vector<uint64_t> offsets_, sources_;
};

/// Tokens in order, read in blocks. Not thread-safe.
class TokenCursor {
 public:
    /// Tokens [first, end).
    TokenCursor(const SetReader& reader, uint64_t first, uint64_t end)
        : reader_(reader), next_(first), end_(end) {}
    /// Up to `count` tokens, at least one while there are any; valid until the next call.
    std::span<const uint32_t> next(uint64_t count);

 private:
    static constexpr uint64_t kBlock = 1 << 16;

    const SetReader& reader_;
    uint64_t next_, end_;
    std::vector<uint32_t> block_;
    size_t used_ = 0;
};

}  // namespace longhaul::tokenize
