// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/mds_format.h"

#include <algorithm>
#include <charconv>

#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/io/json.h"

namespace longhaul::shards {

namespace {

constexpr std::pair<TokenType, const char*> kTypeNames[] = {{TokenType::kU16, "uint16"},
                                                            {TokenType::kU32, "uint32"},
                                                            {TokenType::kI32, "int32"},
                                                            {TokenType::kI64, "int64"},
                                                            {TokenType::kU8, "uint8"}};

/// Exponent of the smallest size type that holds every size below 2^(8 * 2^c).
unsigned shape_code(uint64_t num_tokens) {
    return num_tokens < (1u << 8) ? 0 : num_tokens < (1u << 16) ? 1 : num_tokens >> 32 == 0 ? 2 : 3;
}

/// Product of "2,1024"; nothing when it is no shape, or too large for a shard.
std::optional<uint64_t> shape_size(std::string_view text) {
    uint64_t product = 1;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(','));
        uint64_t size = 0;
        const auto parsed = std::from_chars(word.data(), word.data() + word.size(), size);
        if (parsed.ec != std::errc() || parsed.ptr != word.data() + word.size()) {
            return std::nullopt;
        }
        if (size == 0 || size > kMdsMaxShardBytes / product) return std::nullopt;
        product *= size;
        text.remove_prefix(std::min(word.size() + 1, text.size()));
    }
    return product;
}

std::string quoted(const std::string& text) {
    return io::to_line(io::Json(text));
}

template <class T, class Write>
std::string list(const std::vector<T>& values, Write&& write) {
    std::string text = "[";
    for (const T& value : values) text += (text.size() > 1 ? ", " : "") + write(value);
    return text + "]";
}

std::string column_members(const MdsColumns& columns) {
    const auto size = [](uint64_t bytes) { return bytes == 0 ? "null" : std::to_string(bytes); };
    return format("\"column_encodings\": {}, \"column_names\": {}, \"column_sizes\": {}",
                  list(columns.encodings, quoted), list(columns.names, quoted),
                  list(columns.sizes, size));
}

}  // namespace

MdsTokenEncoding parse_token_encoding(const std::string& encoding, const std::string& source) {
    constexpr std::string_view kPrefix = "ndarray:";
    const auto refuse = [&](const char* what) {
        throw DataError(
            format("{}: encoding \"{}\": {}; ids are read from ndarray:int32, uint16, "
                   "uint32, int64 or uint8, with or without a shape",
                   source, encoding, what));
    };
    if (!encoding.starts_with(kPrefix)) refuse("no array of a stated type");
    const std::string_view rest = std::string_view(encoding).substr(kPrefix.size());
    const size_t colon = rest.find(':');
    for (const auto& [type, name] : kTypeNames) {
        if (name != rest.substr(0, colon)) continue;
        if (colon == std::string_view::npos) return {type, 0};
        const auto size = shape_size(rest.substr(colon + 1));
        if (!size || rest.size() == colon + 1) refuse("not a shape");
        return {type, *size};
    }
    refuse("not a type of ids");
    return {};
}

std::string token_encoding(TokenType type, uint64_t sample_tokens) {
    std::string text = "ndarray:";
    for (const auto& [value, name] : kTypeNames) {
        if (value == type) text += name;
    }
    return sample_tokens == 0 ? text : format("{}:{}", text, sample_tokens);
}

uint64_t open_array_bytes(uint64_t num_tokens, size_t token_bytes) {
    return 1 + (uint64_t{1} << shape_code(num_tokens)) + num_tokens * token_bytes;
}

std::optional<uint64_t> open_array_tokens(uint64_t bytes, size_t token_bytes) {
    for (unsigned code = 0; code < 4; ++code) {
        const uint64_t header = 1 + (uint64_t{1} << code);
        if (bytes < header || (bytes - header) % token_bytes != 0) continue;
        const uint64_t num_tokens = (bytes - header) / token_bytes;
        if (shape_code(num_tokens) == code) return num_tokens;
    }
    return std::nullopt;
}

std::string open_array_header(uint64_t num_tokens) {
    const unsigned code = shape_code(num_tokens);
    std::string header(1, static_cast<char>(1u << 2 | code));
    header.append(reinterpret_cast<const char*>(&num_tokens), size_t{1} << code);
    return header;
}

MdsColumns token_columns(TokenType type, uint64_t sample_tokens) {
    return {
        {"tokens"}, {token_encoding(type, sample_tokens)}, {sample_tokens * token_bytes(type)}, 0};
}

std::string mds_config(const MdsColumns& columns, uint64_t size_limit) {
    return format(
        "{{{}, \"compression\": null, \"format\": \"mds\", \"hashes\": [\"xxh128\"], "
        "\"size_limit\": {}, \"version\": 2}}",
        column_members(columns), size_limit);
}

std::string mds_index(const MdsColumns& columns, uint64_t size_limit,
                      const std::vector<MdsShardInfo>& shards) {
    const std::string members = column_members(columns);
    const auto write = [&](const MdsShardInfo& shard) {
        return format(
            "{{{}, \"compression\": null, \"format\": \"mds\", \"hashes\": [\"xxh128\"], "
            "\"raw_data\": {{\"basename\": {}, \"bytes\": {}, \"hashes\": {{\"xxh128\": "
            "\"{}\"}}}}, "
            "\"samples\": {}, \"size_limit\": {}, \"version\": 2, \"zip_data\": null}}",
            members, quoted(shard.file), shard.bytes, shard.xxh3_128.hex(), shard.num_samples,
            size_limit);
    };
    return format("{{\"shards\": {}, \"version\": 2}}", list(shards, write));
}

}  // namespace longhaul::shards
