// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A shard's content in spools, and its way into the files of each format.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "lib/shards/format.h"
#include "lib/shards/spool.h"

namespace longhaul::shards {

/// A file under construction beside its target, hashed when done.
class ContainerFile {
 public:
    /// Nothing is created yet: HDF5 makes its files itself.
    explicit ContainerFile(std::filesystem::path target);
    ~ContainerFile();
    ContainerFile(const ContainerFile&) = delete;
    ContainerFile& operator=(const ContainerFile&) = delete;

    const std::string& temporary() const { return temporary_; }
    /// fsync, hash, rename. @param hash of its bytes, where they were hashed on their way
    /// @throws IoError; then there is nothing.
    SideFile commit(io::UniqueFd fd, const std::optional<Hash128>& hash = {});

 private:
    std::filesystem::path target_;
    std::string temporary_;
};

/// Bytes in order, as a function.
using WriteBytes = std::function<void(std::span<const std::byte> bytes)>;
/// Token indices at which documents first, ... begin; that of the last + 1 is the number of tokens.
using ReadOffsets = std::function<void(uint64_t first, std::span<uint64_t> out)>;

/// Collects small writes for a descriptor.
class BlockWriter {
 public:
    BlockWriter(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}
    void write(std::span<const std::byte> bytes);
    void write(std::string_view bytes) { write(std::as_bytes(std::span(bytes))); }
    void flush();

 private:
    int fd_;
    std::string name_;
    std::vector<std::byte> buffer_;
};

/// What the shard is and holds. The ids lie in `tokens` in details' type.
struct ShardContent {
    std::filesystem::path folder;
    SetIdentity identity;
    TokenType token_type = TokenType::kU16;
    uint64_t unit = 0, number = 0;  // of the unit; of the shard in it
    uint64_t num_tokens = 0, num_documents = 0;
    uint32_t max_id = 0;
    uint64_t sample_tokens = 0, size_limit = 0;  // of MDS
    Spool& tokens;
    Spool& offsets;  // u64[num_documents + 1]
    Spool& sources;  // u64[2 num_documents]
};

ShardEntry write_hdf5_shard(const ShardContent& content);
ShardEntry write_megatron_shard(const ShardContent& content);
ShardEntry write_mds_shard(const ShardContent& content);

/// shard-UUUUU-KKK.docs.h5. @param with_offsets also /doc_offsets
SideFile write_documents_file(const ShardContent& content, bool with_offsets);

/// A whole .idx: a document is one sequence, one without tokens is none (as preprocess_data.py
/// makes it). Reads the offsets four times; memory does not depend on the number of documents.
/// @throws DataError: a document longer than kMegatronMaxLength, by its number.
void write_megatron_index(TokenType type, uint64_t num_documents, const ReadOffsets& read_offsets,
                          const WriteBytes& write);

}  // namespace longhaul::shards
