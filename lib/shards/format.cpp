// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/format.h"

#include "lib/base/error.h"
#include "lib/io/json.h"

namespace longhaul::shards {

namespace {

using io::Json;
using io::require;

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

/// null, an id, or a list of them. @param vocab_size ids are below it
std::vector<uint32_t> read_border(const Json& object, const char* key, uint32_t vocab_size,
                                  const std::string& source) {
    if (!object.contains(key) || object.at(key).is_null()) return {};
    const Json& value = object.at(key);
    const Json list = value.is_array() ? value : Json::array({value});
    if (list.empty() || list.size() > kMostBorders) {
        throw DataError(
            format("{}: \"{}\" has {} ids, not 1 to {}", source, key, list.size(), kMostBorders));
    }
    std::vector<uint32_t> ids;
    for (const Json& item : list) {
        if (!item.is_number_unsigned() || item.get<uint64_t>() >= vocab_size) {
            throw DataError(format("{}: \"{}\": {} is no id of a vocabulary of {}", source, key,
                                   item.dump(), vocab_size));
        }
        ids.push_back(item.get<uint32_t>());
    }
    return ids;
}

void check_version(const Json& json, const Borders& borders, const std::string& source) {
    const uint64_t version =
        json.contains("version") ? require_count(json, "version", source) : kShardVersion;
    if (version > kManyBordersVersion) {
        throw DataError(format("{}: version {} of the format, this program reads up to {}", source,
                               version, kManyBordersVersion));
    }
    if (static_cast<int64_t>(version) == shard_version(borders)) return;
    throw DataError(
        format("{}: version {} of the format does not go with {} tokens before and {} "
               "behind a document",
               source, version, borders.bos.size(), borders.eos.size()));
}

}  // namespace

namespace {

constexpr std::pair<TokenType, const char*> kTypeNames[] = {{TokenType::kU16, "u16"},
                                                            {TokenType::kU32, "u32"},
                                                            {TokenType::kI32, "i32"},
                                                            {TokenType::kI64, "i64"},
                                                            {TokenType::kU8, "u8"}};
constexpr std::pair<ShardFormat, const char*> kFormatNames[] = {
    {ShardFormat::kHdf5, "hdf5"}, {ShardFormat::kMegatron, "megatron"}, {ShardFormat::kMds, "mds"}};

Json to_json(const SideFile& file) {
    return {{"file", file.file}, {"bytes", file.bytes}, {"xxh3_128", file.xxh3_128.hex()}};
}

std::vector<SideFile> side_files(const Json& object, const char* key, const std::string& source) {
    std::vector<SideFile> files;
    if (!object.contains(key)) return files;
    for (const Json& item : require<Json>(object, key, source)) {
        files.push_back({require<std::string>(item, "file", source),
                         require_count(item, "bytes", source),
                         require_hash(item, "xxh3_128", source)});
    }
    return files;
}

}  // namespace

size_t token_bytes(TokenType type) {
    switch (type) {
        case TokenType::kU8:
            return 1;
        case TokenType::kU16:
            return 2;
        case TokenType::kU32:
        case TokenType::kI32:
            return 4;
        case TokenType::kI64:
            break;
    }
    return 8;
}
const char* token_type_name(TokenType type) {
    for (const auto& [value, name] : kTypeNames) {
        if (value == type) return name;
    }
    return "?";
}
std::optional<TokenType> token_type_by_name(std::string_view text) {
    for (const auto& [value, name] : kTypeNames) {
        if (name == text) return value;
    }
    return std::nullopt;
}

const char* shard_format_name(ShardFormat format) {
    for (const auto& [value, name] : kFormatNames) {
        if (value == format) return name;
    }
    return "?";
}
std::optional<ShardFormat> shard_format_by_name(std::string_view text) {
    for (const auto& [value, name] : kFormatNames) {
        if (name == text) return value;
    }
    return std::nullopt;
}

std::string shard_name(uint64_t unit, uint64_t number, ShardFormat shard_format) {
    const char* const ending = shard_format == ShardFormat::kHdf5       ? "h5"
                               : shard_format == ShardFormat::kMegatron ? "bin"
                                                                        : "mds";
    return format("shard-{:05}-{:03}.{}", unit, number, ending);
}
std::string documents_name(uint64_t unit, uint64_t number) {
    return format("shard-{:05}-{:03}.docs.h5", unit, number);
}
const SideFile* ShardEntry::documents_file() const {
    for (const SideFile& candidate : more) {
        if (candidate.file.ends_with(".docs.h5")) return &candidate;
    }
    return nullptr;
}

SetIdentity identity_of(const ShardDetails& details) {
    return {details.tokenizer_hash, details.vocab_size, details.borders};
}

int64_t shard_version(const Borders& borders) {
    const bool has_many = borders.bos.size() > 1 || borders.eos.size() > 1;
    return has_many ? kManyBordersVersion : kShardVersion;
}

std::string ids_to_text(const std::vector<uint32_t>& ids) {
    std::string text;
    for (const uint32_t id : ids) {
        if (!text.empty()) text += ' ';
        text += std::to_string(id);
    }
    return text;
}

Json border_to_json(const std::vector<uint32_t>& ids) {
    if (ids.empty()) return nullptr;
    return ids.size() == 1 ? Json(ids.front()) : Json(ids);
}

std::vector<StoredPart> stored_parts(const ShardDetails& details) {
    std::vector<StoredPart> parts;
    uint64_t begin = 0;
    for (const ShardEntry& shard : details.shards) {
        parts.push_back({shard.file, begin, shard.bytes, shard.xxh3_128, shard.num_documents});
        if (!details.merged.empty()) begin += shard.bytes;
        for (const SideFile& file : shard.more) {
            parts.push_back({file.file, 0, file.bytes, file.xxh3_128, 0});
        }
    }
    for (const SideFile& file : details.files) {
        parts.push_back({file.file, 0, file.bytes, file.xxh3_128, 0});
    }
    return parts;
}

std::map<std::string, uint64_t> stored_files(const ShardDetails& details) {
    std::map<std::string, uint64_t> files;
    for (const StoredPart& part : stored_parts(details)) {
        uint64_t& bytes = files[part.file];
        bytes = std::max(bytes, part.begin + part.bytes);
    }
    return files;
}

Json to_json(const ShardEntry& shard) {
    Json json{{"file", shard.file},
              {"unit", shard.unit},
              {"tokens", shard.num_tokens},
              {"documents", shard.num_documents},
              {"bytes", shard.bytes},
              {"max_id", shard.max_id},
              {"xxh3_128", shard.xxh3_128.hex()}};
    for (const SideFile& file : shard.more) json["more"].push_back(to_json(file));
    return json;
}

ShardEntry shard_from_json(const Json& json, const std::string& source) {
    return {require<std::string>(json, "file", source),
            require_count(json, "unit", source),
            require_count(json, "tokens", source),
            require_count(json, "documents", source),
            require_count(json, "bytes", source),
            static_cast<uint32_t>(require_count(json, "max_id", source)),
            require_hash(json, "xxh3_128", source),
            side_files(json, "more", source)};
}

namespace {

/// Members that HDF5 shards, the first format, do without: their manifests stay as they were.
void add_format(const ShardDetails& details, Json& json) {
    if (details.format != ShardFormat::kHdf5) json["format"] = shard_format_name(details.format);
    if (details.sample_tokens > 0) json["sample_tokens"] = details.sample_tokens;
    if (!details.merged.empty()) json["merged"] = details.merged;
    if (details.has_bare_documents) json["bare_documents"] = true;
    for (const SideFile& file : details.files) json["files"].push_back(to_json(file));
}

void read_format(const Json& json, const std::string& source, ShardDetails& details) {
    if (json.contains("format")) {
        const auto name = require<std::string>(json, "format", source);
        const auto value = shard_format_by_name(name);
        if (!value) throw DataError(format("{}: format \"{}\" is not known", source, name));
        details.format = *value;
    }
    if (json.contains("sample_tokens")) {
        details.sample_tokens = require_count(json, "sample_tokens", source);
    }
    if (json.contains("merged")) details.merged = require<std::string>(json, "merged", source);
    if (json.contains("bare_documents")) {
        details.has_bare_documents = require<bool>(json, "bare_documents", source);
    }
    details.files = side_files(json, "files", source);
}

}  // namespace

std::string details_to_json(const ShardDetails& details) {
    Json json{{"token_type", token_type_name(details.token_type)},
              {"vocab_size", details.vocab_size},
              {"bos_id", border_to_json(details.borders.bos)},
              {"eos_id", border_to_json(details.borders.eos)},
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
    for (const ShardEntry& shard : details.shards) json["shards"].push_back(to_json(shard));
    if (const int64_t version = shard_version(details.borders); version > kShardVersion) {
        json["version"] = version;
    }
    add_format(details, json);
    return io::to_line(json);
}

ShardDetails details_from_json(const std::string& text, const std::string& source) {
    const Json json = io::parse_json(text, source);
    ShardDetails details;
    const auto type = require<std::string>(json, "token_type", source);
    const auto token_type = token_type_by_name(type);
    if (!token_type) {
        throw DataError(format("{}: \"token_type\" is \"{}\", not u16, u32 or i32", source, type));
    }
    details.token_type = *token_type;
    details.vocab_size = static_cast<uint32_t>(require_count(json, "vocab_size", source));
    details.borders.bos = read_border(json, "bos_id", details.vocab_size, source);
    details.borders.eos = read_border(json, "eos_id", details.vocab_size, source);
    check_version(json, details.borders, source);
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
        details.shards.push_back(shard_from_json(item, source));
    }
    read_format(json, source, details);
    return details;
}

namespace {

/// Why a folder has no manifest.json.
std::string why_no_manifest(const std::filesystem::path& folder) {
    if (std::filesystem::exists(folder / "plan.json")) {
        return "tok-shard did not finish here; run it again to resume";
    }
    std::error_code ignored;  // not a folder at all
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        if (entry.path().extension() != ".idx") continue;
        return format(
            "not a folder of token shards; Megatron's files are named by their prefix: {}",
            (folder / entry.path().stem()).string());
    }
    return "not a folder of token shards";
}

}  // namespace

record::Manifest read_shard_manifest(const std::filesystem::path& folder, ShardDetails& details) {
    const std::filesystem::path path = folder / "manifest.json";
    if (!std::filesystem::exists(path)) {
        throw DataError(
            format("{}: no manifest.json: {}", folder.string(), why_no_manifest(folder)));
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
