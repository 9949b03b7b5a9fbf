// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/parquet/footer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string_view>

#include <sys/stat.h>

#include "lib/base/error.h"
#include "lib/corpus/parquet/schema.h"
#include "lib/corpus/parquet/thrift.h"
#include "lib/io/file.h"

namespace longhaul::corpus::parquet {

namespace {

constexpr uint64_t kMagicBytes = 4, kTailBytes = 8;
/// More than a footer of a million column chunks; larger ones are damage.
constexpr uint64_t kMaxFooterBytes = 256 << 20;

/// A column chunk as the footer states it (ColumnChunk and ColumnMetaData).
struct StatedChunk {
    int64_t type = -1, codec = -1;
    int64_t num_values = -1;
    uint64_t packed_bytes = 0, data_page = 0, dictionary_page = 0;
    bool has_metadata = false, is_elsewhere = false, is_encrypted = false;
    std::string path;

    uint64_t begin() const {
        // Old writers leave 0 or the offset of a data page where there is no dictionary.
        const bool has_dictionary = dictionary_page > 0 && dictionary_page < data_page;
        return has_dictionary ? dictionary_page : data_page;
    }
};

void read_chunk_metadata(ThriftReader& reader, StatedChunk& chunk, bool wants_path) {
    chunk.has_metadata = true;
    reader.read_struct([&](int id, ThriftType type) {
        if (id == 1) {
            chunk.type = reader.read_int(type);
        } else if (id == 3 && wants_path) {
            reader.read_list(type, [&](ThriftType element) {
                if (!chunk.path.empty()) chunk.path += '.';
                chunk.path += reader.read_text(element);
            });
        } else if (id == 4) {
            chunk.codec = reader.read_int(type);
        } else if (id == 5) {
            chunk.num_values = reader.read_int(type);
        } else if (id == 7) {
            chunk.packed_bytes = reader.read_size(type);
        } else if (id == 9) {
            chunk.data_page = reader.read_size(type);
        } else if (id == 11) {
            chunk.dictionary_page = reader.read_size(type);
        } else {
            reader.skip(type);
        }
    });
}

StatedChunk read_chunk(ThriftReader& reader, bool wants_path) {
    StatedChunk chunk;
    reader.read_struct([&](int id, ThriftType type) {
        if (id == 1) {
            chunk.is_elsewhere = !reader.read_text(type).empty();
        } else if (id == 3) {
            reader.expect_struct(type);
            read_chunk_metadata(reader, chunk, wants_path);
        } else {
            chunk.is_encrypted = chunk.is_encrypted || id == 8 || id == 9;
            reader.skip(type);
        }
    });
    return chunk;
}

io::BlockCodec to_codec(int64_t number, const ThriftReader& reader, const Leaf& leaf) {
    switch (number) {
        case 0:
            return io::BlockCodec::kNone;
        case 1:
            return io::BlockCodec::kSnappy;
        case 2:
            return io::BlockCodec::kGzip;
        case 6:
            return io::BlockCodec::kZstd;
        default:
            break;
    }
    reader.fail(
        format("column {} is compressed with {}, which is not read here; write the file with "
               "zstd, snappy or gzip",
               leaf.path, codec_name(number)));
}

/// What the group's list of columns says, checked against the schema.
class RowGroupReader {
 public:
    RowGroupReader(ThriftReader& reader, const std::vector<Leaf>& leaves,
                   std::span<const size_t> wanted, uint64_t data_end)
        : reader_(reader), leaves_(leaves), wanted_(wanted), data_end_(data_end) {}

    RowGroup read(uint64_t number) {
        RowGroup group;
        group.number = number;
        group.begin = data_end_;
        group.chunks.resize(wanted_.size());
        stated_.assign(wanted_.size(), {});
        size_t num_columns = 0;
        reader_.read_struct([&](int id, ThriftType type) {
            if (id == 1) {
                reader_.read_list(type, [&](ThriftType element) {
                    reader_.expect_struct(element);
                    add_column(num_columns++, group);
                });
            } else if (id == 3) {
                group.num_rows = reader_.read_size(type);
            } else {
                reader_.skip(type);
            }
        });
        if (group.num_rows == 0) return group;
        if (num_columns != leaves_.size()) {
            reader_.fail(format("row group {} has {} columns, the schema has {}", number,
                                num_columns, leaves_.size()));
        }
        for (size_t i = 0; i < wanted_.size(); ++i) place(group, i);
        return group;
    }

 private:
    void add_column(size_t column, RowGroup& group) {
        const auto found = std::find(wanted_.begin(), wanted_.end(), column);
        StatedChunk chunk = read_chunk(reader_, found != wanted_.end());
        if (chunk.data_page > 0) group.begin = std::min(group.begin, chunk.begin());
        if (found == wanted_.end()) return;
        stated_[static_cast<size_t>(found - wanted_.begin())] = std::move(chunk);
    }

    void place(RowGroup& group, size_t i) {
        const Leaf& leaf = leaves_[wanted_[i]];
        const StatedChunk& stated = stated_[i];
        const auto require = [&](bool holds, const char* cause) {
            if (holds) return;
            reader_.fail(format("column {} of row group {}: {}", leaf.path, group.number, cause));
        };
        require(!stated.is_encrypted, "encrypted columns are not read here");
        require(!stated.is_elsewhere, "its data is in another file, which is not read here");
        require(stated.has_metadata, "no metadata");
        require(stated.type == static_cast<int64_t>(leaf.type) && stated.path == leaf.path,
                "the metadata is of another column than the schema says");
        require(static_cast<uint64_t>(stated.num_values) == group.num_rows,
                "the number of values is not the number of rows");
        const uint64_t begin = stated.begin();
        require(
            begin >= kMagicBytes && begin < data_end_ && stated.packed_bytes <= data_end_ - begin,
            "its bytes are not inside the file");
        group.chunks[i] = {begin, begin + stated.packed_bytes,
                           to_codec(stated.codec, reader_, leaf)};
    }

    ThriftReader& reader_;
    const std::vector<Leaf>& leaves_;
    std::span<const size_t> wanted_;
    uint64_t data_end_;
    std::vector<StatedChunk> stated_;
};

/// The tail: length of the footer and "PAR1". @return length
uint64_t check_tail(int fd, const std::string& path, uint64_t file_bytes) {
    using namespace std::string_view_literals;
    if (file_bytes < kMagicBytes + kTailBytes) {
        throw DataError(format("{}: too short for a Parquet file ({} bytes)", path, file_bytes));
    }
    std::array<std::byte, kTailBytes> tail{};
    io::pread_exact(fd, tail, file_bytes - kTailBytes, path);
    const std::string_view magic(reinterpret_cast<const char*>(tail.data()) + 4, kMagicBytes);
    if (magic == "PARE"sv) {
        throw DataError(path, file_bytes - kMagicBytes,
                        "encrypted Parquet files are not read here");
    }
    if (magic != "PAR1"sv) {
        throw DataError(path, file_bytes - kMagicBytes,
                        "no \"PAR1\" at the end: not a Parquet file, or cut; copy it again");
    }
    uint32_t length = 0;
    std::memcpy(&length, tail.data(), sizeof length);
    const uint64_t room = file_bytes - kMagicBytes - kTailBytes;
    if (length > room || length > kMaxFooterBytes) {
        throw DataError(
            path, file_bytes - kTailBytes,
            format("a footer of {} bytes can not be: the file has {}", length, file_bytes));
    }
    return length;
}

}  // namespace

Footer::Footer(int fd, const std::string& path) : path_(path) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) throw IoError("cannot stat " + path);
    file_bytes_ = static_cast<uint64_t>(status.st_size);
    bytes_.resize(check_tail(fd, path, file_bytes_));
    begin_ = file_bytes_ - kTailBytes - bytes_.size();
    io::pread_exact(fd, bytes_, begin_, path);
    read_schema();
}

void Footer::read_schema() {
    ThriftReader reader(bytes_, path_, begin_);
    SchemaReader schema;
    reader.read_struct([&](int id, ThriftType type) {
        if (id == 2) {
            reader.read_list(type, [&](ThriftType element) {
                reader.expect_struct(element);
                schema.read_element(reader);
            });
        } else if (id == 3) {
            num_rows_ = reader.read_size(type);
        } else if (id == 8) {
            reader.fail("encrypted Parquet files are not read here");
        } else {
            reader.skip(type);
        }
    });
    leaves_ = schema.finish(reader);
}

std::vector<RowGroup> Footer::row_groups(std::span<const size_t> wanted) const {
    ThriftReader reader(bytes_, path_, begin_);
    RowGroupReader group_reader(reader, leaves_, wanted, begin_);
    std::vector<RowGroup> groups;
    uint64_t num_rows = 0, number = 0;
    reader.read_struct([&](int id, ThriftType type) {
        if (id != 4) return reader.skip(type);
        reader.read_list(type, [&](ThriftType element) {
            reader.expect_struct(element);
            RowGroup group = group_reader.read(number++);
            if (group.num_rows == 0) return;
            if (!groups.empty() && group.begin <= groups.back().begin) {
                reader.fail(format("row group {} begins before row group {}; write the file again",
                                   group.number, groups.back().number));
            }
            if (group.num_rows > num_rows_ - num_rows) reader.fail("more rows than the file says");
            num_rows += group.num_rows;
            groups.push_back(std::move(group));
        });
    });
    if (num_rows != num_rows_) {
        reader.fail(
            format("the row groups have {} rows, the file should have {}", num_rows, num_rows_));
    }
    return groups;
}

const char* codec_name(int64_t number) {
    static constexpr std::array<const char*, 8> kNames{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO",
                                                       "BROTLI",       "LZ4",    "ZSTD", "LZ4_RAW"};
    const bool is_known = number >= 0 && static_cast<size_t>(number) < kNames.size();
    return is_known ? kNames[static_cast<size_t>(number)] : "an unknown codec";
}

const char* encoding_name(int64_t number) {
    static constexpr std::array<const char*, 10> kNames{
        "PLAIN",          "GROUP_VAR_INT",       "PLAIN_DICTIONARY",        "RLE",
        "BIT_PACKED",     "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY",
        "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"};
    const bool is_known = number >= 0 && static_cast<size_t>(number) < kNames.size();
    return is_known ? kNames[static_cast<size_t>(number)] : "an unknown encoding";
}

}  // namespace longhaul::corpus::parquet
