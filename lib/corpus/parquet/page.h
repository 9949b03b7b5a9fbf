// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The pages of a column chunk: header, checksum, decompression. One page is in memory at a time.

#include <cstdint>
#include <span>
#include <string>

#include "lib/corpus/parquet/buffer.h"
#include "lib/corpus/parquet/footer.h"
#include "lib/corpus/parquet/hashed_file.h"
#include "lib/corpus/parquet/thrift.h"

namespace longhaul::corpus::parquet {

/// How values are stored; the numbers of parquet.thrift's enum Encoding.
enum class Encoding : uint8_t {
    kPlain = 0,
    kPlainDictionary = 2,
    kRle = 3,
    kDeltaBinaryPacked = 5,
    kDeltaLengthByteArray = 6,
    kDeltaByteArray = 7,
    kRleDictionary = 8,
    kByteStreamSplit = 9,
};

/// A page's content; views live until the next page of the same buffer is read.
struct Page {
    bool is_dictionary = false;
    uint32_t num_values = 0;  // nulls included
    Encoding encoding = Encoding::kPlain;
    std::span<const std::byte> definition_levels;  // empty where the column can not be null
    std::span<const std::byte> values;
    uint64_t offset = 0;  // of its header in the file
};

/// Walks over a chunk. Not thread-safe.
class PageReader {
 public:
    /// @param max_page_bytes a larger page is refused before memory is taken for it
    PageReader(HashedFile& file, uint64_t max_page_bytes)
        : file_(file), max_page_bytes_(max_page_bytes) {}

    /// Begins a chunk; `leaf` must outlive its reading.
    void begin(const Leaf& leaf, const Chunk& chunk);
    /// The next page: a dictionary goes to one buffer, data to another, so that both live.
    /// @return false at the end of the chunk. @throws DataError
    bool next(Page& page);

    /// Names the column and the page. @throws DataError
    [[noreturn]] void fail(const std::string& cause) const;

 private:
    struct Header;
    Header read_header();
    void read_header_fields(ThriftReader& reader, Header& header) const;
    void check_header(const Header& header) const;
    void load(const Header& header, Page& page);
    void load_v1(const Header& header, std::span<const std::byte> body, Page& page) const;
    /// @param packed the page as stored; may be `body` itself
    void load_v2(const Header& header, std::span<const std::byte> packed, std::span<std::byte> body,
                 Page& page);
    void unpack(std::span<const std::byte> packed, std::span<std::byte> out, bool is_packed);

    HashedFile& file_;
    uint64_t max_page_bytes_;
    const Leaf* leaf_ = nullptr;
    Chunk chunk_;
    uint64_t at_ = 0, page_offset_ = 0;
    bool is_first_ = true;
    io::Unpacker unpacker_;
    Buffer header_bytes_, packed_, data_, dictionary_;
};

}  // namespace longhaul::corpus::parquet
