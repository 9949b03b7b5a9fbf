// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/format.h"

#include "lib/base/error.h"
#include "lib/io/json.h"

namespace longhaul::shards {

namespace {

using io::Json;
using io::require;

Json optional_id(const std::optional<uint32_t>& id) {
    return id ? Json(*id) : Json(nullptr);
}

Hash128 require_hash(const Json& object, const char* key, const std::string& source) {
    const auto hash = Hash128::from_hex(require<std::string>(object, key, source));
    if (!hash) throw DataError(format("{}: \"{}\" is no hash of 32 hex digits", source, key));
    return *hash;
}

/// Like require<uint64_t>, but -1 and 1.5 are refused too instead of being converted.
uint64_t require_count(const Json& object, const char* key, const std::string& source) {
    const Json value = require<Json>(object, key, source);
    if (!value.is_number_unsigned()) {
        throw DataError(format("{}: \"{}\" is no count", source, key));
    }
    return value.get<uint64_t>();
}

std::optional<uint32_t> read_id(const Json& object, const char* key, const std::string& source) {
    if (!object.contains(key) || object.at(key).is_null()) return std::nullopt;
    return static_cast<uint32_t>(require_count(object, key, source));
}

}  // namespace

size_t token_bytes(TokenType type) {
    return type == TokenType::kU16 ? 2 : 4;
}
const char* token_type_name(TokenType type) {
    return type == TokenType::kU16 ? "u16" : "u32";
}

std::string shard_name(uint64_t unit, uint64_t number) {
    return format("shard-{:05}-{:03}.h5", unit, number);
}

std::string details_to_json(const ShardDetails& details) {
    Json json{{"token_type", token_type_name(details.token_type)},
              {"vocab_size", details.vocab_size},
              {"bos_id", optional_id(details.bos_id)},
              {"eos_id", optional_id(details.eos_id)},
              {"tokenizer", details.tokenizer_hash.hex()},
              {"tokens", details.num_tokens},
              {"documents", details.num_documents},
              {"inputs", details.inputs},
              {"segments", Json::array()},
              {"shards", Json::array()},
              {"counts", Json::parse(details.counts_json)}};
    for (const Segment& segment : details.segments) {
        json["segments"].push_back({{"unit", segment.unit},
                                    {"input", segment.input},
                                    {"begin", segment.begin},
                                    {"end", segment.end},
                                    {"first_record", segment.first_record}});
    }
    for (const ShardEntry& shard : details.shards) {
        json["shards"].push_back({{"file", shard.file},
                                  {"unit", shard.unit},
                                  {"tokens", shard.num_tokens},
                                  {"documents", shard.num_documents},
                                  {"bytes", shard.bytes},
                                  {"max_id", shard.max_id},
                                  {"xxh3_128", shard.xxh3_128.hex()}});
    }
    return io::to_line(json);
}

ShardDetails details_from_json(const std::string& text, const std::string& source) {
    const Json json = io::parse_json(text, source);
    ShardDetails details;
    const auto type = require<std::string>(json, "token_type", source);
    if (type != "u16" && type != "u32") {
        throw DataError(format("{}: \"token_type\" is \"{}\", not u16 or u32", source, type));
    }
    details.token_type = type == "u16" ? TokenType::kU16 : TokenType::kU32;
    details.vocab_size = static_cast<uint32_t>(require_count(json, "vocab_size", source));
    details.bos_id = read_id(json, "bos_id", source);
    details.eos_id = read_id(json, "eos_id", source);
    details.tokenizer_hash = require_hash(json, "tokenizer", source);
    details.num_tokens = require_count(json, "tokens", source);
    details.num_documents = require_count(json, "documents", source);
    details.inputs = require<std::vector<std::string>>(json, "inputs", source);
    details.counts_json = io::to_line(require<Json>(json, "counts", source));
    for (const Json& item : require<Json>(json, "segments", source)) {
        details.segments.push_back({require_count(item, "unit", source),
                                    static_cast<uint32_t>(require_count(item, "input", source)),
                                    require_count(item, "begin", source),
                                    require_count(item, "end", source),
                                    require_count(item, "first_record", source)});
    }
    for (const Json& item : require<Json>(json, "shards", source)) {
        details.shards.push_back(
            {require<std::string>(item, "file", source), require_count(item, "unit", source),
             require_count(item, "tokens", source), require_count(item, "documents", source),
             require_count(item, "bytes", source),
             static_cast<uint32_t>(require_count(item, "max_id", source)),
             require_hash(item, "xxh3_128", source)});
    }
    return details;
}

record::Manifest read_shard_manifest(const std::filesystem::path& folder, ShardDetails& details) {
    const std::filesystem::path path = folder / "manifest.json";
    if (!std::filesystem::exists(path)) {
        throw DataError(
            format("{}: no manifest.json: not a folder of token shards, or tok-shard "
                   "did not finish (run it again to resume)",
                   folder.string()));
    }
    record::Manifest manifest = record::read_manifest(path);
    if (manifest.kind != kManifestKind) {
        throw DataError(
            format("{}: kind \"{}\", not \"{}\"", path.string(), manifest.kind, kManifestKind));
    }
    details = details_from_json(manifest.details_json, path.string());
    return manifest;
}

}  // namespace longhaul::shards
