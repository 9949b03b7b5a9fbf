// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/unit_record.h"

#include "lib/base/error.h"
#include "lib/io/atomic_file.h"
#include "lib/io/json.h"
#include "lib/log/log.h"

namespace longhaul::tokenize {

namespace {

namespace fs = std::filesystem;
using io::Json;
using io::require;

fs::path record_path(const fs::path& folder, uint64_t number) {
    return folder / ".units" / format("unit-{:05}.json", number);
}

Hash128 read_hash(const Json& object, const std::string& source) {
    const auto hash = Hash128::from_hex(require<std::string>(object, "xxh3_128", source));
    if (!hash) throw DataError(source + ": \"xxh3_128\" is no hash");
    return *hash;
}

Json bad_to_json(const corpus::BadRecords& bad) {
    Json counts = Json::array(), named = Json::array();
    for (size_t i = 0; i < corpus::kNumReasons; ++i) {
        counts.push_back(bad.count(static_cast<corpus::Reason>(i)));
    }
    for (const corpus::BadRecord& record : bad.named()) {
        named.push_back({record.file, record.line, record.byte,
                         static_cast<unsigned>(record.reason), record.detail});
    }
    return {{"counts", counts}, {"named", named}};
}

/// Adds back the named records, then unnamed ones up to the counts.
void bad_from_json(const Json& json, corpus::BadRecords& bad) {
    for (const Json& item : json.at("named")) {
        bad.add({item.at(0).get<std::string>(), item.at(1).get<uint64_t>(),
                 item.at(2).get<uint64_t>(),
                 static_cast<corpus::Reason>(item.at(3).get<unsigned>()),
                 item.at(4).get<std::string>()});
    }
    const Json& counts = json.at("counts");
    for (size_t i = 0; i < std::min(counts.size(), corpus::kNumReasons); ++i) {
        const auto reason = static_cast<corpus::Reason>(i);
        for (uint64_t n = bad.count(reason); n < counts[i].get<uint64_t>(); ++n) {
            bad.add({"", 0, 0, reason, ""});
        }
    }
}

UnitResult parse(const Json& json, const std::string& source) {
    UnitResult result;
    for (const Json& item : require<Json>(json, "segments", source)) {
        result.segments.push_back(
            {require<uint32_t>(item, "input", source), require<uint64_t>(item, "begin", source),
             require<uint64_t>(item, "end", source), require<bool>(item, "whole", source),
             require<uint64_t>(item, "lines", source), read_hash(item, source)});
    }
    for (const Json& item : require<Json>(json, "shards", source)) {
        result.shards.push_back(shards::shard_from_json(item, source));
    }
    const Json counts = require<Json>(json, "counts", source);
    result.counts = {require<uint64_t>(counts, "records", source),
                     require<uint64_t>(counts, "documents", source),
                     require<uint64_t>(counts, "empty_documents", source),
                     require<uint64_t>(counts, "blank_lines", source),
                     require<uint64_t>(counts, "text_bytes", source),
                     require<uint64_t>(counts, "tokens", source),
                     require<uint64_t>(counts, "lone_surrogates", source),
                     counts.value("replaced_utf8", uint64_t{0}),
                     counts.value("raw_bytes", uint64_t{0}),
                     counts.value("dropped_tokens", uint64_t{0})};
    bad_from_json(require<Json>(json, "bad", source), result.bad);
    return result;
}

}  // namespace

Json counts_to_json(const UnitCounts& counts) {
    Json json{{"records", counts.records},
              {"documents", counts.documents},
              {"empty_documents", counts.empty_documents},
              {"blank_lines", counts.blank_lines},
              {"text_bytes", counts.text_bytes},
              {"tokens", counts.tokens},
              {"lone_surrogates", counts.lone_surrogates}};
    if (counts.replaced_utf8 > 0) json["replaced_utf8"] = counts.replaced_utf8;
    if (counts.raw_bytes > 0) json["raw_bytes"] = counts.raw_bytes;
    if (counts.dropped_tokens > 0) json["dropped_tokens"] = counts.dropped_tokens;
    return json;
}

void write_unit_record(const fs::path& folder, uint64_t number, const UnitResult& result) {
    Json json{{"schema", 1}, {"segments", Json::array()}, {"shards", Json::array()}};
    for (const SegmentResult& segment : result.segments) {
        json["segments"].push_back({{"input", segment.input},
                                    {"begin", segment.begin},
                                    {"end", segment.end},
                                    {"whole", segment.is_whole},
                                    {"lines", segment.lines},
                                    {"xxh3_128", segment.xxh3_128.hex()}});
    }
    for (const shards::ShardEntry& shard : result.shards) json["shards"].push_back(to_json(shard));
    json["counts"] = counts_to_json(result.counts);
    json["bad"] = bad_to_json(result.bad);
    io::write_file_atomically(record_path(folder, number), io::to_line(json) + "\n");
}

std::optional<UnitResult> read_unit_record(const fs::path& folder, uint64_t number) {
    const fs::path path = record_path(folder, number);
    if (!fs::exists(path)) return std::nullopt;
    UnitResult result;
    try {
        result = parse(io::read_json_file(path), path.string());
    } catch (const Error& error) {
        log::warn("{}; unit {} is done again", error.describe(), number);
        return std::nullopt;
    } catch (const Json::exception&) {
        log::warn("{}: damaged; unit {} is done again", path.string(), number);
        return std::nullopt;
    }
    shards::ShardDetails made;
    made.shards = result.shards;
    for (const auto& [file, bytes] : shards::stored_files(made)) {
        std::error_code error;
        if (fs::file_size(folder / file, error) != bytes || error) {
            log::warn("{}: missing or cut; unit {} is done again", (folder / file).string(),
                      number);
            return std::nullopt;
        }
    }
    return result;
}

}  // namespace longhaul::tokenize
