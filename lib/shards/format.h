// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Names and records of the token shard format (longhaul-token-shards.5): what the manifest says
// beyond the common part, and what a shard file holds.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/hash.h"
#include "lib/io/json_fwd.h"
#include "lib/record/manifest.h"
#include "lib/shards/dataset.h"

namespace longhaul::shards {

inline constexpr const char* kManifestKind = "token-shards";
inline constexpr const char* kShardFormat = "longhaul-token-shard";
/// Version 2 has several tokens at one end of a document, of which programs that read version 1
/// know nothing: only sets that need it say it.
inline constexpr int64_t kShardVersion = 1, kManyBordersVersion = 2;
// Datasets of a shard file.
inline constexpr const char* kTokensPath = "/tokens";        // u16 or u32, all documents in a row
inline constexpr const char* kOffsetsPath = "/doc_offsets";  // u64[n + 1], token indices
inline constexpr const char* kSourcePath = "/doc_source";    // u64[2 n]: input, record, ...

/// The container of the tokens.
enum class ShardFormat { kHdf5, kMegatron, kMds };
/// "hdf5", "megatron", "mds".
const char* shard_format_name(ShardFormat format);
std::optional<ShardFormat> shard_format_by_name(std::string_view name);

/// "shard-00012-003.h5", ".bin" or ".mds": the file that holds the tokens.
std::string shard_name(uint64_t unit, uint64_t number, ShardFormat format = ShardFormat::kHdf5);
/// "shard-00012-003.docs.h5": /doc_source (and /doc_offsets of packed MDS) of a shard in a format
/// that has no place for them.
std::string documents_name(uint64_t unit, uint64_t number);

/// A file besides those that hold tokens.
struct SideFile {
    std::string file;
    uint64_t bytes = 0;
    Hash128 xxh3_128;
};

/// One shard, as the manifest lists it. In a merged Megatron set all shards are parts of one .bin,
/// in their order.
struct ShardEntry {
    std::string file;
    uint64_t unit = 0;
    uint64_t num_tokens = 0, num_documents = 0;
    uint64_t bytes = 0;               // of the file, or of the part
    uint32_t max_id = 0;              // largest id in it
    Hash128 xxh3_128;                 // of those bytes
    std::vector<SideFile> more = {};  // .idx, .docs.h5
    std::string zip_file = {};        // foreign MDS: its compressed form

    /// The file of documents_name() among `more`, or null.
    const SideFile* documents_file() const;
};

/// Columns of MDS samples, in their order.
struct MdsColumns {
    std::vector<std::string> names, encodings;
    std::vector<uint64_t> sizes;  // bytes; 0: each sample has its own
    size_t tokens = 0;            // which one holds the ids
};

/// The part of one input that one unit of work holds. Records are counted from the segment's begin
/// in the shards, so that units do not depend on each other; first_record makes them absolute.
struct Segment {
    uint64_t unit = 0;
    uint32_t input = 0;  // number in the manifest's inputs
    uint64_t begin = 0;  // bytes as stored; 0 and the size for a whole file
    uint64_t end = 0;
    uint64_t first_record = 0;  // records of this input before `begin`
};

/// details_json of a manifest of kind "token-shards".
struct ShardDetails {
    TokenType token_type = TokenType::kU16;
    uint32_t vocab_size = 0;
    Borders borders;
    Hash128 tokenizer_hash;
    uint64_t num_tokens = 0, num_documents = 0;
    std::vector<std::string> inputs;  // paths, by Segment::input
    std::vector<Segment> segments;
    std::vector<ShardEntry> shards;
    std::string counts_json = "{}";  // records, bad records by reason, bytes of text, ...
    ShardFormat format = ShardFormat::kHdf5;
    uint64_t sample_tokens = 0;        // MDS: tokens of a sample; 0: a sample is a document
    std::string merged;                // Megatron: the one prefix of all shards, or ""
    bool has_bare_documents = false;   // documents without any token, not even EOS, may occur
    std::vector<SideFile> files = {};  // of the whole set: the merged .idx, index.json
    // Not in the manifest:
    bool is_foreign =
        false;  // made by another program: no manifest, sources, hashes and largest ids
    MdsColumns columns = {};
};

/// What every HDF5 file of a set says, so that one of another set is told.
struct SetIdentity {
    Hash128 tokenizer_hash;
    uint32_t vocab_size = 0;
    Borders borders;
};
SetIdentity identity_of(const ShardDetails& details);
/// The version of the format that tokens at the ends of documents ask for.
int64_t shard_version(const Borders& borders);
/// "64790 64792".
std::string ids_to_text(const std::vector<uint32_t>& ids);
/// As manifests write one end of documents: null, a number, or a list of several.
io::Json border_to_json(const std::vector<uint32_t>& ids);

/// A shard as the manifest and the records of units write it.
io::Json to_json(const ShardEntry& shard);
/// @throws DataError naming `source` and the key.
ShardEntry shard_from_json(const io::Json& json, const std::string& source);

std::string details_to_json(const ShardDetails& details);
/// @throws DataError naming the manifest and the key.
ShardDetails details_from_json(const std::string& json, const std::string& source);

/// A stretch of a file and its hash: what `verify` reads and the manifest's outputs list.
struct StoredPart {
    std::string file;
    uint64_t begin = 0, bytes = 0;
    Hash128 xxh3_128;
    uint64_t num_documents = 0;
};
/// All bytes of the set, file by file in the order of the shards.
std::vector<StoredPart> stored_parts(const ShardDetails& details);
/// The files of the set and their sizes.
std::map<std::string, uint64_t> stored_files(const ShardDetails& details);

/// Reads DIR/manifest.json and its details.
/// @throws DataError: no manifest ("not complete"), or of another kind.
record::Manifest read_shard_manifest(const std::filesystem::path& folder, ShardDetails& details);

}  // namespace longhaul::shards
