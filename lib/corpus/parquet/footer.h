// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The footer of a Parquet file: which columns there are and where their chunks stand
// (apache/parquet-format, README.md and src/main/thrift/parquet.thrift, version 2.11).

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/io/unpacker.h"

namespace longhaul::corpus::parquet {

/// Types as stored; the numbers of parquet.thrift's enum Type.
enum class Physical : uint8_t {
    kBoolean = 0,
    kInt32 = 1,
    kInt64 = 2,
    kInt96 = 3,
    kFloat = 4,
    kDouble = 5,
    kByteArray = 6,
    kFixed = 7,
};

/// What the values of a column mean, as far as a JSON line can say it.
enum class Meaning : uint8_t { kPlain, kText, kUnsigned, kOther };

/// A column: a leaf of the schema's tree.
struct Leaf {
    std::string path;  // names from the root, joined by dots
    Physical type = Physical::kByteArray;
    Meaning meaning = Meaning::kPlain;
    unsigned max_definition = 0;  // optional nodes on its path; 0: never null
    bool is_repeated = false;     // it or a node above it is: a list or map
    bool is_nested = false;
};

/// A column's part of a row group: bytes [begin, end) of the file, pages one after another.
struct Chunk {
    uint64_t begin = 0, end = 0;
    io::BlockCodec codec = io::BlockCodec::kNone;
};

struct RowGroup {
    uint64_t number = 0;  // in the file, from 0
    uint64_t num_rows = 0;
    uint64_t begin = 0;         // first byte of all its columns
    std::vector<Chunk> chunks;  // of the leaves asked for, in their order
};

class Footer {
 public:
    /// Reads the footer of an open file and its schema.
    /// @throws DataError: no Parquet file, cut, damaged, encrypted
    Footer(int fd, const std::string& path);

    const std::vector<Leaf>& leaves() const { return leaves_; }
    /// The groups that have rows, in file order. @param wanted indices of leaves
    /// @throws DataError: damaged, or a wanted column has a codec that is not read here
    std::vector<RowGroup> row_groups(std::span<const size_t> wanted) const;
    uint64_t file_bytes() const { return file_bytes_; }

 private:
    void read_schema();

    std::string path_;
    uint64_t file_bytes_ = 0, begin_ = 0;  // begin_: byte of the footer in the file
    std::vector<std::byte> bytes_;
    std::vector<Leaf> leaves_;
    uint64_t num_rows_ = 0;
};

/// "SNAPPY": the name of a codec or encoding by its number in parquet.thrift.
const char* codec_name(int64_t number);
const char* encoding_name(int64_t number);

}  // namespace longhaul::corpus::parquet
