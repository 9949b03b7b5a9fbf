// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Shards in HDF5 containers, and the HDF5 files beside shards of other formats that say where
// their documents came from.

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>

#include "lib/shards/read_file.h"
#include "lib/shards/shard_file.h"

namespace longhaul::shards {

/// A shard-*.h5. HDF5 is used once, at open, to find where the arrays lie.
class Hdf5Shard : public ShardFile {
 public:
    Hdf5Shard(const std::filesystem::path& folder, const ShardDetails& details, size_t index);

    void read_tokens(uint64_t first, std::span<uint32_t> out) const override;
    void read_tokens(uint64_t first, std::span<int32_t> out) const override;
    void will_need(uint64_t first, uint64_t count) const override;
    const std::byte* mapped(uint64_t first, uint64_t count) const override;
    void map() override { file_.map(); }
    void read_offsets(uint64_t first, std::span<uint64_t> out) const override;
    void read_sources(uint64_t first, std::span<uint64_t> out) const override;

 private:
    ReadFile file_;
    TokenType token_type_;
    uint64_t tokens_at_ = 0, offsets_at_ = 0, sources_at_ = 0;  // bytes in the file
};

/// A shard-*.docs.h5: /doc_source, and /doc_offsets where documents are cut by samples. Opened when
/// first asked, for training seldom asks. All members but map() may be called in parallel.
class DocumentTable {
 public:
    DocumentTable(std::string name, uint64_t num_documents, SetIdentity identity)
        : name_(std::move(name)), num_documents_(num_documents), identity_(std::move(identity)) {}

    /// Of the file, when it is opened.
    void map() { is_mapped_ = true; }
    void read_sources(uint64_t first, std::span<uint64_t> out) const;
    /// @throws DataError when the file has none.
    void read_offsets(uint64_t first, std::span<uint64_t> out) const;

 private:
    void open() const;

    std::string name_;
    uint64_t num_documents_;
    SetIdentity identity_;
    mutable std::once_flag opened_;
    bool is_mapped_ = false;
    mutable ReadFile file_;
    mutable uint64_t sources_at_ = 0, offsets_at_ = 0;
};

}  // namespace longhaul::shards
