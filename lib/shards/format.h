// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Names and records of the token shard format (longhaul-token-shards.5): what the manifest says
// beyond the common part, and what a shard file holds.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/hash.h"
#include "lib/record/manifest.h"
#include "lib/shards/dataset.h"

namespace longhaul::shards {

inline constexpr const char* kManifestKind = "token-shards";
inline constexpr const char* kShardFormat = "longhaul-token-shard";
inline constexpr int64_t kShardVersion = 1;
// Datasets of a shard file.
inline constexpr const char* kTokensPath = "/tokens";        // u16 or u32, all documents in a row
inline constexpr const char* kOffsetsPath = "/doc_offsets";  // u64[n + 1], token indices
inline constexpr const char* kSourcePath = "/doc_source";    // u64[2 n]: input, record, ...

/// "shard-00012-003.h5".
std::string shard_name(uint64_t unit, uint64_t number);

/// One shard file, as the manifest lists it.
struct ShardEntry {
    std::string file;
    uint64_t unit = 0;
    uint64_t num_tokens = 0, num_documents = 0;
    uint64_t bytes = 0;
    uint32_t max_id = 0;  // largest id in it
    Hash128 xxh3_128;     // of the file
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
    std::optional<uint32_t> bos_id, eos_id;
    Hash128 tokenizer_hash;
    uint64_t num_tokens = 0, num_documents = 0;
    std::vector<std::string> inputs;  // paths, by Segment::input
    std::vector<Segment> segments;
    std::vector<ShardEntry> shards;
    std::string counts_json = "{}";  // records, bad records by reason, bytes of text, ...
};

std::string details_to_json(const ShardDetails& details);
/// @throws DataError naming the manifest and the key.
ShardDetails details_from_json(const std::string& json, const std::string& source);

/// Reads DIR/manifest.json and its details.
/// @throws DataError: no manifest ("not complete"), or of another kind.
record::Manifest read_shard_manifest(const std::filesystem::path& folder, ShardDetails& details);

}  // namespace longhaul::shards
