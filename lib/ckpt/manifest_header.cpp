// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/manifest_header.h"

#include "lib/base/error.h"
#include "lib/io/json.h"

namespace longhaul::ckpt {
namespace {

using io::Json;
using io::require;

Json embedded(const std::string& json, const char* member) {
    if (json.empty()) return nullptr;
    return io::parse_json(json, format("checkpoint header: {}", member));
}

/// The member as one canonical line, "" for null.
std::string embedded_text(const Json& header, const char* member, const std::string& source) {
    const auto value = require<Json>(header, member, source);
    return value.is_null() ? std::string() : io::to_line(value);
}

Hash128 require_hash(const Json& object, const char* member, const std::string& source) {
    const auto hash = Hash128::from_hex(require<std::string>(object, member, source));
    if (!hash) throw DataError(format("{}: \"{}\" is not 32 hex digits", source, member));
    return *hash;
}

Json layout_json(const Layout& layout) {
    return Json{{"tp", layout.tp},
                {"pp", layout.pp},
                {"cp", layout.cp},
                {"ep", layout.ep},
                {"dp_replicate", layout.dp_replicate},
                {"dp_shard", layout.dp_shard},
                {"zero", layout.zero}};
}

int64_t require_positive(const Json& object, const char* member, const std::string& source) {
    const auto value = require<int64_t>(object, member, source);
    if (value < 1 || value > 1'000'000) {
        throw DataError(format("{}: layout: \"{}\" is {}", source, member, value));
    }
    return value;
}

Layout parse_layout(const Json& object, const std::string& source) {
    Layout layout;
    layout.tp = require_positive(object, "tp", source);
    layout.pp = require_positive(object, "pp", source);
    layout.cp = require_positive(object, "cp", source);
    layout.ep = require_positive(object, "ep", source);
    layout.dp_replicate = require_positive(object, "dp_replicate", source);
    layout.dp_shard = require_positive(object, "dp_shard", source);
    layout.zero = require<int64_t>(object, "zero", source);
    return layout;
}

}  // namespace

std::string header_json(const Header& header) {
    Json data = Json::array();
    for (const DataManifest& item : header.data) {
        data.push_back({{"path", item.path}, {"xxh3_128", item.hash.hex()}});
    }
    const Json parent =
        header.parent.directory.empty()
            ? Json(nullptr)
            : Json{{"directory", header.parent.directory}, {"self", header.parent.self.hex()}};
    return io::to_line(Json{{"step", header.step},
                            {"seed", header.seed},
                            {"class", header.checkpoint_class},
                            {"health", header.health},
                            {"writer", header.writer},
                            {"layout", layout_json(header.layout)},
                            {"parent", parent},
                            {"data", data},
                            {"cursor", embedded(header.cursor_json, "cursor")},
                            {"schedule", embedded(header.schedule_json, "schedule")},
                            {"changes", embedded(header.changes_json, "changes")},
                            {"hf_config", embedded(header.hf_config_json, "hf_config")},
                            {"config", header.config}});
}

Header parse_header(std::string_view json, const std::string& source) {
    const Json object = io::parse_json(json, source);
    Header header;
    header.step = require<int64_t>(object, "step", source);
    header.seed = require<uint64_t>(object, "seed", source);
    header.checkpoint_class = require<std::string>(object, "class", source);
    header.health = require<std::string>(object, "health", source);
    header.writer = require<std::string>(object, "writer", source);
    header.layout = parse_layout(require<Json>(object, "layout", source), source);
    const auto parent = require<Json>(object, "parent", source);
    if (!parent.is_null()) {
        header.parent = {require<std::string>(parent, "directory", source),
                         require_hash(parent, "self", source)};
    }
    for (const Json& item : require<std::vector<Json>>(object, "data", source)) {
        header.data.push_back(
            {require<std::string>(item, "path", source), require_hash(item, "xxh3_128", source)});
    }
    header.cursor_json = embedded_text(object, "cursor", source);
    header.schedule_json = embedded_text(object, "schedule", source);
    header.changes_json = embedded_text(object, "changes", source);
    header.hf_config_json = embedded_text(object, "hf_config", source);
    header.config = require<std::string>(object, "config", source);
    return header;
}

}  // namespace longhaul::ckpt
