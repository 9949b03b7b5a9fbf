// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One opened shard of any format: tokens and documents by position.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/shards/format.h"

namespace longhaul::shards {

/// Read-only; all members may be called in parallel. Members throw DataError naming file and place
/// when what they read can not be.
class ShardFile {
 public:
    virtual ~ShardFile() = default;

    const std::string& name() const { return name_; }
    uint64_t num_tokens() const { return num_tokens_; }
    uint64_t num_documents() const { return num_documents_; }

    /// Tokens [first, first + out.size()).
    virtual void read_tokens(uint64_t first, std::span<uint32_t> out) const = 0;
    virtual void read_tokens(uint64_t first, std::span<int32_t> out) const = 0;
    /// Asks for read-ahead of tokens [first, first + count); errors do not matter.
    virtual void will_need(uint64_t first, uint64_t count) const = 0;
    /// Where tokens lie in memory (ReadFile::mapped); null when they do not, or not in a row.
    virtual const std::byte* mapped(uint64_t first, uint64_t count) const = 0;
    /// Small reads go without system calls from now on (ReadFile::map). Not in parallel.
    virtual void map() = 0;
    /// Token index at which documents first, ... begin; that of number num_documents() is
    /// num_tokens(). Ascending and in range.
    virtual void read_offsets(uint64_t first, std::span<uint64_t> out) const = 0;
    /// Pairs (input, record within its segment) of documents from `first` on.
    virtual void read_sources(uint64_t first, std::span<uint64_t> out) const = 0;
    /// Number of the document that holds a token: the last one whose offset is at most `token`.
    virtual uint64_t find_document(uint64_t token) const;
    /// Appends `base` + each token index in [first, end) at which a document begins, ascending; an
    /// index where several begin, once.
    void append_starts(uint64_t first, uint64_t end, uint64_t base,
                       std::vector<uint64_t>& out) const;
    /// Reads all that opening did not, except for ids and documents.
    /// @return what is wrong, with its place, or "".
    virtual std::string check_container() const { return ""; }

 protected:
    ShardFile(std::string name, uint64_t num_tokens, uint64_t num_documents)
        : name_(std::move(name)), num_tokens_(num_tokens), num_documents_(num_documents) {}
    /// @throws DataError: offsets of documents first, ... descend or pass the end.
    void check_offsets(uint64_t first, std::span<const uint64_t> offsets) const;

    std::string name_;
    uint64_t num_tokens_, num_documents_;
};

/// Checks structure against the manifest's entry: types, sizes, the tokenizer. A foreign entry's
/// counts are those that its file says.
/// @param index number of the shard in details.shards.
/// @throws DataError or StoreError naming the file.
std::unique_ptr<ShardFile> open_shard(const std::filesystem::path& folder,
                                      const ShardDetails& details, size_t index);

}  // namespace longhaul::shards
