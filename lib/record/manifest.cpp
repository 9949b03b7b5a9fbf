// SPDX-License-Identifier: BSD-3-Clause
#include "lib/record/manifest.h"

#include "lib/base/error.h"
#include "lib/io/atomic_file.h"
#include "lib/io/json.h"
#include "lib/text/unicode.h"

namespace longhaul::record {

namespace {

io::Json to_json(const std::vector<FileEntry>& entries) {
    io::Json list = io::Json::array();
    for (const FileEntry& entry : entries) {
        list.push_back({{"path", entry.path},
                        {"bytes", entry.bytes},
                        {"records", entry.records},
                        {"xxh3_128", entry.xxh3_128.hex()}});
    }
    return list;
}

std::vector<FileEntry> entries_of(const io::Json& manifest, const char* key,
                                  const std::string& source) {
    std::vector<FileEntry> entries;
    for (const io::Json& item : io::require<io::Json>(manifest, key, source)) {
        const std::string place = source + ": " + key;
        FileEntry entry;
        entry.path = io::require<std::string>(item, "path", place);
        entry.bytes = io::require<uint64_t>(item, "bytes", place);
        entry.records = io::require<uint64_t>(item, "records", place);
        const auto hash = Hash128::from_hex(io::require<std::string>(item, "xxh3_128", place));
        if (!hash)
            throw DataError(format("{}: {}: xxh3_128 is not 32 hex digits", place, entry.path));
        entry.xxh3_128 = *hash;
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::optional<std::string> options_difference(const Manifest& there, const Manifest& asked) {
    const io::Json old_options = io::parse_json(there.options_json, "options");
    const io::Json new_options = io::parse_json(asked.options_json, "options");
    for (const auto& [key, value] : new_options.items()) {
        const auto old_value = old_options.find(key);
        if (old_value == old_options.end()) return format("option \"{}\" is new", key);
        if (*old_value != value) {
            return format("option \"{}\": {} there, {} asked", key, io::to_line(*old_value),
                          io::to_line(value));
        }
    }
    for (const auto& [key, value] : old_options.items()) {
        if (!new_options.contains(key)) return format("option \"{}\" is gone", key);
    }
    return std::nullopt;
}

std::optional<std::string> inputs_difference(const Manifest& there, const Manifest& asked) {
    if (there.inputs.size() != asked.inputs.size()) {
        return format("{} inputs there, {} asked", there.inputs.size(), asked.inputs.size());
    }
    for (size_t i = 0; i < asked.inputs.size(); ++i) {
        const FileEntry& old_input = there.inputs[i];
        const FileEntry& new_input = asked.inputs[i];
        if (old_input.path != new_input.path) {
            return format("input {}: {} there, {} asked", i + 1, old_input.path, new_input.path);
        }
        if (old_input.xxh3_128 != new_input.xxh3_128) {
            return format("input {} has changed since", new_input.path);
        }
    }
    return std::nullopt;
}

}  // namespace

std::string manifest_text(const Manifest& manifest) {
    const io::Json json = {{"schema", 1},
                           {"tool", manifest.tool},
                           {"version", manifest.version},
                           {"kind", manifest.kind},
                           {"options", io::parse_json(manifest.options_json, "options")},
                           {"inputs", to_json(manifest.inputs)},
                           {"outputs", to_json(manifest.outputs)},
                           {"parents", manifest.parents},
                           {"details", io::parse_json(manifest.details_json, "details")}};
    return io::to_pretty(json);
}

Hash128 manifest_hash(const Manifest& manifest) {
    return xxh3_128(manifest_text(manifest));
}

Manifest read_manifest(const std::filesystem::path& path) {
    const io::Json json = io::read_json_file(path);
    const std::string source = path.string();
    if (const int schema = io::require<int>(json, "schema", source); schema != 1) {
        throw DataError(
            format("{}: schema {} is newer than this program reads (1)", source, schema));
    }
    Manifest manifest;
    manifest.tool = io::require<std::string>(json, "tool", source);
    manifest.version = io::require<std::string>(json, "version", source);
    manifest.kind = io::require<std::string>(json, "kind", source);
    manifest.options_json = io::to_line(io::require<io::Json>(json, "options", source));
    manifest.inputs = entries_of(json, "inputs", source);
    manifest.outputs = entries_of(json, "outputs", source);
    manifest.parents = io::require<std::vector<std::string>>(json, "parents", source);
    manifest.details_json = io::to_line(io::require<io::Json>(json, "details", source));
    return manifest;
}

void write_manifest(const std::filesystem::path& path, const Manifest& manifest) {
    io::write_file_atomically(path, manifest_text(manifest));
}

std::filesystem::path manifest_path(const std::filesystem::path& output) {
    if (std::filesystem::is_directory(output)) return output / "manifest.json";
    return output.string() + ".manifest.json";
}

void check_name(const std::string& path) {
    if (text::is_valid_utf8(path)) return;
    throw UsageError(format(
        "{}: the name is not UTF-8, and manifests can not hold it; rename the file, or name a "
        "symbolic link to it",
        path));
}

std::optional<std::string> first_difference(const Manifest& there, const Manifest& asked) {
    if (there.tool != asked.tool) {
        return format("made by {} there, {} asked", there.tool, asked.tool);
    }
    if (there.kind != asked.kind) return format("kind {} there, {} asked", there.kind, asked.kind);
    if (auto difference = options_difference(there, asked)) return difference;
    return inputs_difference(there, asked);
}

namespace {

/// True when every listed output lies there with its size. Hashes are not computed.
bool has_outputs(const Manifest& manifest, const std::filesystem::path& folder) {
    for (const FileEntry& entry : manifest.outputs) {
        std::error_code error;
        const uint64_t bytes = std::filesystem::file_size(folder / entry.path, error);
        if (error || bytes != entry.bytes) return false;
    }
    return true;
}

Manifest read_own_manifest(const std::filesystem::path& path) {
    try {
        return read_manifest(path);
    } catch (const DataError& error) {
        throw DataError(format("{}; --force redoes it", error.describe()));
    }
}

}  // namespace

OutputState check_output(const std::filesystem::path& output, const Manifest& asked, bool force) {
    if (!std::filesystem::exists(output)) return OutputState::kAbsent;
    const std::filesystem::path path = manifest_path(output);
    if (!std::filesystem::exists(path)) return OutputState::kUnfinished;
    if (force) return OutputState::kUnfinished;
    const Manifest there = read_own_manifest(path);
    if (const auto difference = first_difference(there, asked)) {
        throw UsageError(format("{} was made differently: {}; use another output or --force",
                                output.string(), *difference));
    }
    return has_outputs(there, path.parent_path()) ? OutputState::kComplete
                                                  : OutputState::kUnfinished;
}

}  // namespace longhaul::record
