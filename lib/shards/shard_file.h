// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One opened shard file: where its arrays lie and what they say about themselves.

#include <cstdint>
#include <filesystem>
#include <string>

#include "lib/io/file.h"
#include "lib/shards/format.h"

namespace longhaul::shards {

/// Read-only; all members may be called in parallel.
class ShardFile {
 public:
    /// Checks structure against the manifest's entry: datasets, types, sizes, the tokenizer.
    /// @throws DataError or StoreError naming the file.
    ShardFile(const std::filesystem::path& folder, const ShardEntry& entry,
              const ShardDetails& details);

    const std::string& name() const { return name_; }
    uint64_t num_tokens() const { return num_tokens_; }
    uint64_t num_documents() const { return num_documents_; }

    /// Tokens [first, first + out.size()).
    void read_tokens(uint64_t first, std::span<uint32_t> out) const;
    void read_tokens(uint64_t first, std::span<int32_t> out) const;
    /// Asks for read-ahead of tokens [first, first + count).
    void will_need(uint64_t first, uint64_t count) const;
    /// doc_offsets[first, first + out.size()).
    void read_offsets(uint64_t first, std::span<uint64_t> out) const;
    /// doc_source: pairs (input, record within its segment) of documents from `first` on.
    void read_sources(uint64_t first, std::span<uint64_t> out) const;
    /// Number of the document that holds a token: the last one whose offset is at most `token`.
    uint64_t find_document(uint64_t token) const;

 private:
    template <class Out>
    void read_tokens_as(uint64_t first, std::span<Out> out) const;

    std::string name_;
    io::UniqueFd fd_;
    uint64_t num_tokens_ = 0, num_documents_ = 0;
    TokenType token_type_ = TokenType::kU16;
    uint64_t tokens_at_ = 0, offsets_at_ = 0, sources_at_ = 0;  // bytes in the file
};

}  // namespace longhaul::shards
