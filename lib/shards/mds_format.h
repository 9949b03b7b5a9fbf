// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// MDS, the format of mosaicml-streaming: index.json and shard files
//   u32 n   u32[n + 1] offsets of the samples from the file's begin   JSON of the columns   samples
// A sample is a u32 size for each column without a fixed one, then the columns in order of name.
// An ndarray of open shape begins with a byte ndim << 2 | c and ndim sizes of 2^c bytes each.
// Source: streaming/base/format/mds/{writer,reader,encodings}.py, base/writer.py.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/shards/format.h"

namespace longhaul::shards {

/// Offsets are u32.
inline constexpr uint64_t kMdsMaxShardBytes = 4294967295;
/// MDSWriter's default: a sample that would pass it begins a new shard.
inline constexpr uint64_t kMdsSizeLimit = uint64_t{1} << 26;

/// "ndarray:int32" or "ndarray:int32:2048".
struct MdsTokenEncoding {
    TokenType type = TokenType::kI32;
    uint64_t sample_tokens = 0;  // of the fixed shape; 0: open
};
/// @throws DataError naming `source`: an encoding that is no ndarray of integers.
MdsTokenEncoding parse_token_encoding(const std::string& encoding, const std::string& source);
/// The encoding that tok-shard writes. @param type kU16, kI32 or kU32
std::string token_encoding(TokenType type, uint64_t sample_tokens);

/// Bytes of a document of an open shape, without the u32 of its size.
uint64_t open_array_bytes(uint64_t num_tokens, size_t token_bytes);
/// The other way round; nothing when no one-dimensional array has this size.
std::optional<uint64_t> open_array_tokens(uint64_t bytes, size_t token_bytes);
/// The bytes before the ids of an open array.
std::string open_array_header(uint64_t num_tokens);

/// The JSON in a shard file, as json.dumps(..., sort_keys=True) writes it.
std::string mds_config(const MdsColumns& columns, uint64_t size_limit);
/// One column "tokens".
MdsColumns token_columns(TokenType type, uint64_t sample_tokens);

/// A shard as index.json lists it.
struct MdsShardInfo {
    std::string file;
    uint64_t bytes = 0, num_samples = 0;
    std::string zip_file;
    Hash128 xxh3_128;
};
/// index.json of our shards. @param shards all of them, in order.
std::string mds_index(const MdsColumns& columns, uint64_t size_limit,
                      const std::vector<MdsShardInfo>& shards);

/// Writes index.json beside the shards of a folder of ours. @return what the manifest lists.
SideFile write_mds_index(const std::filesystem::path& folder, const ShardDetails& details,
                         uint64_t size_limit);

struct MdsIndex {
    MdsColumns columns;
    std::vector<MdsShardInfo> shards;
};
/// @param column the one that holds the ids.
/// @throws DataError naming `source` and the shard: another version or format, columns that differ,
///         a compression other than zstd and gz, a file name that leaves the folder.
MdsIndex parse_mds_index(std::string_view text, const std::string& column,
                         const std::string& source);

}  // namespace longhaul::shards
