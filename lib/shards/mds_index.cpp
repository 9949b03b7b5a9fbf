// SPDX-License-Identifier: BSD-3-Clause
// Reading index.json of MDS.
#include <algorithm>

#include "lib/base/error.h"
#include "lib/io/json.h"
#include "lib/shards/mds_format.h"

namespace longhaul::shards {

namespace {

using io::Json;
using io::require;

uint64_t count_of(const Json& object, const char* key, const std::string& source) {
    const Json value = require<Json>(object, key, source);
    if (!value.is_number_unsigned()) {
        throw DataError(format("{}: \"{}\" is no count", source, key));
    }
    return value.get<uint64_t>();
}

/// A path below the folder of index.json.
std::string file_of(const Json& object, const std::string& source) {
    auto file = require<std::string>(object, "basename", source);
    const std::filesystem::path path(file);
    const bool climbs = std::find(path.begin(), path.end(), "..") != path.end();
    if (file.empty() || path.is_absolute() || climbs || file.find('\0') != std::string::npos) {
        throw DataError(format("{}: basename \"{}\" is no file of the folder", source, file));
    }
    return file;
}

MdsColumns columns_of(const Json& shard, const std::string& column, const std::string& source) {
    MdsColumns columns;
    columns.names = require<std::vector<std::string>>(shard, "column_names", source);
    columns.encodings = require<std::vector<std::string>>(shard, "column_encodings", source);
    for (const Json& size : require<Json>(shard, "column_sizes", source)) {
        if (!size.is_null() && !size.is_number_unsigned()) {
            throw DataError(format("{}: \"column_sizes\" holds no count", source));
        }
        columns.sizes.push_back(size.is_null() ? 0 : size.get<uint64_t>());
        if (columns.sizes.back() > kMdsMaxShardBytes) {
            throw DataError(format("{}: a column of {} bytes", source, columns.sizes.back()));
        }
    }
    const size_t count = columns.names.size();
    if (columns.encodings.size() != count || columns.sizes.size() != count || count > 1000) {
        throw DataError(format("{}: {} column names, {} encodings and {} sizes", source, count,
                               columns.encodings.size(), columns.sizes.size()));
    }
    const auto found = std::find(columns.names.begin(), columns.names.end(), column);
    if (found == columns.names.end()) {
        throw DataError(format("{}: no column \"{}\" (columns: {}); --column names another", source,
                               column, io::to_line(Json(columns.names))));
    }
    columns.tokens = static_cast<size_t>(found - columns.names.begin());
    const MdsTokenEncoding encoding =
        parse_token_encoding(columns.encodings[columns.tokens], source);
    const uint64_t bytes = encoding.sample_tokens * token_bytes(encoding.type);
    if (columns.sizes[columns.tokens] != bytes) {
        throw DataError(format("{}: {} has samples of {} bytes, column_sizes says {}", source,
                               columns.encodings[columns.tokens], bytes,
                               columns.sizes[columns.tokens]));
    }
    return columns;
}

MdsShardInfo shard_of(const Json& item, const std::string& source) {
    if (const auto kind = require<std::string>(item, "format", source); kind != "mds") {
        throw DataError(format("{}: format \"{}\", not mds", source, kind));
    }
    if (const uint64_t version = count_of(item, "version", source); version != 2) {
        throw DataError(format("{}: version {}, this program reads 2", source, version));
    }
    MdsShardInfo shard;
    const Json raw = require<Json>(item, "raw_data", source);
    shard.file = file_of(raw, source);
    shard.bytes = count_of(raw, "bytes", source);
    shard.num_samples = count_of(item, "samples", source);
    const auto zip = item.find("zip_data");
    if (zip == item.end() || zip->is_null()) return shard;
    const auto compression = require<std::string>(item, "compression", source);
    const std::string family = compression.substr(0, compression.find(':'));
    if (family != "zstd" && family != "gz") {
        throw DataError(format("{}: compression {}; zstd and gz are read, others must be unpacked",
                               source, compression));
    }
    shard.zip_file = file_of(*zip, source);
    return shard;
}

}  // namespace

MdsIndex parse_mds_index(std::string_view text, const std::string& column,
                         const std::string& source) {
    const Json json = io::parse_json(text, source);
    if (const uint64_t version = count_of(json, "version", source); version != 2) {
        throw DataError(format("{}: version {} of MDS, this program reads 2", source, version));
    }
    MdsIndex index;
    const Json shards = require<Json>(json, "shards", source);
    if (!shards.is_array()) throw DataError(format("{}: \"shards\" is no list", source));
    for (const Json& item : shards) {
        const std::string place = format("{}: shard {}", source, index.shards.size());
        MdsColumns columns = columns_of(item, column, place);
        if (index.shards.empty()) {
            index.columns = std::move(columns);
        } else if (columns.names != index.columns.names ||
                   columns.encodings != index.columns.encodings ||
                   columns.sizes != index.columns.sizes) {
            throw DataError(format("{}: other columns than the shards before it", place));
        }
        index.shards.push_back(shard_of(item, place));
    }
    return index;
}

}  // namespace longhaul::shards
