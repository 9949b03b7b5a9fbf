// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reading a shard of MDS.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/shards/hdf5_shard.h"
#include "lib/shards/mds_format.h"
#include "lib/shards/read_file.h"
#include "lib/shards/shard_file.h"

namespace longhaul::shards {

/// A document is a sample, or what the .docs.h5 says where samples have a fixed number of tokens.
/// Opening reads the table of offsets once; 8 bytes for each 64 samples are kept. A shard that is
/// there only compressed is unpacked into a file without a name in $TMPDIR.
class MdsShard : public ShardFile {
 public:
    MdsShard(const std::filesystem::path& folder, const ShardDetails& details, size_t index);

    void read_tokens(uint64_t first, std::span<uint32_t> out) const override;
    void read_tokens(uint64_t first, std::span<int32_t> out) const override;
    void will_need(uint64_t first, uint64_t count) const override;
    const std::byte* mapped(uint64_t, uint64_t) const override { return nullptr; }
    void map() override;
    void read_offsets(uint64_t first, std::span<uint64_t> out) const override;
    void read_sources(uint64_t first, std::span<uint64_t> out) const override;
    uint64_t find_document(uint64_t token) const override;

    /// Looks at the header of every array.
    std::string check_container() const override;

 private:
    /// The ids of one sample.
    struct Array {
        uint64_t begin = 0, bytes = 0;  // of the column, in the file
        uint64_t num_tokens = 0;
    };

    void open(const std::filesystem::path& folder, const ShardEntry& entry);
    void check_config(uint64_t end_of_offsets, uint64_t begin_of_samples) const;
    void scan_offsets();
    /// Arrays of samples first, ... from the table of offsets. @throws DataError
    void locate(uint64_t first, std::span<Array> out) const;
    Array locate_one(uint64_t begin, uint64_t end) const;
    uint64_t first_token_of(uint64_t sample) const;
    uint64_t sample_of(uint64_t token) const;
    /// Byte of the first id; checks the header of an open array.
    uint64_t ids_at(const Array& array) const;
    template <class Out>
    void read_any(uint64_t first, std::span<Out> out) const;

    MdsColumns columns_;
    MdsTokenEncoding encoding_;
    uint64_t head_bytes_ = 0, fixed_bytes_ = 0;  // of a sample: sizes, columns of fixed size
    bool is_only_open_ = false;                  // no other column has sizes of its own
    uint64_t num_samples_ = 0, file_bytes_ = 0;
    ReadFile file_;
    std::vector<uint64_t> marks_;  // first token of every 64th sample, of open arrays
    std::unique_ptr<DocumentTable> table_;
    bool has_document_offsets_ = false;
    uint64_t first_record_ = 0;  // foreign: samples before this shard
};

}  // namespace longhaul::shards
