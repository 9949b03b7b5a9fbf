// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/manifest.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "lib/base/error.h"
#include "lib/dedup/options_json.h"
#include "lib/dedup/report.h"
#include "lib/io/hash_file.h"
#include "lib/io/json.h"
#include "lib/log/log.h"

namespace longhaul::dedup {

namespace {

namespace fs = std::filesystem;

record::Manifest make_manifest(const Options& options, const std::string& kind) {
    record::Manifest manifest;
    manifest.tool = "dedup-minhash";
    manifest.version = LH_VERSION;
    manifest.kind = kind;
    manifest.options_json = options.decisive_options_json.empty()
                                ? io::to_line(options_json(options))
                                : options.decisive_options_json;
    for (const std::string& path : options.parents) {
        manifest.parents.push_back(record::manifest_hash(record::read_manifest(path)).hex());
    }
    return manifest;
}

/// True when the manifest lists `file` (inside `folder`, or beside it) with these bytes.
bool lists_file(const record::Manifest& manifest, const fs::path& relative, const Hash128& hash) {
    for (const record::FileEntry& output : manifest.outputs) {
        if (output.path == relative.string() && output.xxh3_128 == hash) return true;
    }
    return false;
}

/// Hash of the manifest that lists an input: beside the file, or in one of its folders.
std::optional<std::string> parent_of(const std::string& path, const Hash128& hash) {
    const fs::path file = fs::absolute(path).lexically_normal();
    std::vector<std::pair<fs::path, fs::path>> places{
        {file.string() + ".manifest.json", file.filename()}};
    for (fs::path folder = file.parent_path(); folder.has_relative_path();
         folder = folder.parent_path()) {
        places.emplace_back(folder / "manifest.json", file.lexically_relative(folder));
    }
    for (const auto& [candidate, relative] : places) {
        if (!fs::is_regular_file(candidate)) continue;
        try {
            const record::Manifest manifest = record::read_manifest(candidate);
            if (lists_file(manifest, relative, hash)) return record::manifest_hash(manifest).hex();
        } catch (const DataError& error) {  // some other program's manifest.json
            log::debug("{}", error.describe());
        }
    }
    return std::nullopt;
}

void add_found_parents(record::Manifest& manifest, const Inputs& inputs,
                       const std::vector<Source>& sources) {
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].is_stream) continue;
        const auto parent = parent_of(inputs[i].path, sources[i].stored_hash);
        if (!parent) continue;
        const bool is_known = std::find(manifest.parents.begin(), manifest.parents.end(),
                                        *parent) != manifest.parents.end();
        if (!is_known) manifest.parents.push_back(*parent);
    }
}

std::string details_json(const std::vector<Source>& sources) {
    const Source total = total_of(sources);
    const io::Json json = {
        {"documents", total.num_kept()},    {"documents_in", total.num_documents},
        {"removed_exact", total.num_exact}, {"removed_near", total.num_near},
        {"bad_records", total.num_bad},     {"line_bytes", total.kept_bytes}};
    return io::to_line(json);
}

}  // namespace

bool is_complete(const Options& options, const Inputs& inputs, Target target,
                 const std::vector<Source>& sources) {
    if (target != Target::kFile && target != Target::kFolder) return false;
    if (options.is_forced || !fs::exists(record::manifest_path(options.output))) return false;
    record::Manifest asked = make_manifest(options, "documents");
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].is_stream) {
            throw UsageError(
                format("{} exists; a stream can not be compared with what made it: use "
                       "another output or --force",
                       options.output));
        }
        const Hash128 hash =
            sources.empty() ? io::hash_file(inputs[i].path) : sources[i].stored_hash;
        asked.inputs.push_back({inputs[i].path, inputs[i].bytes, 0, hash});
    }
    const bool is_same =
        record::check_output(options.output, asked, false) == record::OutputState::kComplete;
    // The same once more for the sake of a list or a report that is not there.
    const std::array extras{options.removal_list, options.report, options.manifest};
    return is_same && std::all_of(extras.begin(), extras.end(), [](const std::string& extra) {
               return extra.empty() || fs::exists(extra);
           });
}

namespace {

bool is_input(const fs::path& file, const Inputs& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i].is_stream && fs::equivalent(file, inputs[i].path)) return true;
    }
    return false;
}

}  // namespace

void retract_earlier_output(const Options& options, const Inputs& inputs, Target target) {
    if (!options.removal_list.empty()) fs::remove(options.removal_list + ".manifest.json");
    if (target != Target::kFile && target != Target::kFolder) return;
    const fs::path path = record::manifest_path(options.output);
    if (!fs::exists(path)) return;
    std::vector<record::FileEntry> listed;
    try {
        listed = record::read_manifest(path).outputs;
    } catch (const DataError& error) {
        log::warn("{}", error.describe());
    }
    fs::remove(path);
    for (const record::FileEntry& entry : listed) {
        const fs::path name = fs::path(entry.path).lexically_normal();
        const bool is_inside = !name.empty() && name.is_relative() && *name.begin() != "..";
        const fs::path file =
            target == Target::kFile ? fs::path(options.output) : fs::path(options.output) / name;
        if (is_inside && fs::exists(file) && !is_input(file, inputs)) fs::remove(file);
    }
}

void write_manifests(const Options& options, const Inputs& inputs, Target target,
                     const std::vector<Source>& sources,
                     const std::vector<record::FileEntry>& outputs,
                     const record::FileEntry& removal_list, const std::string& details) {
    record::Manifest manifest = make_manifest(options, "documents");
    for (size_t i = 0; i < inputs.size(); ++i) {
        manifest.inputs.push_back({inputs[i].path, sources[i].stored_bytes,
                                   sources[i].num_documents + sources[i].num_bad,
                                   sources[i].stored_hash});
    }
    add_found_parents(manifest, inputs, sources);
    manifest.outputs = outputs;
    manifest.details_json = details.empty() ? details_json(sources) : details;
    if (!options.removal_list.empty()) {
        record::Manifest list = manifest;
        list.kind = "removal-list";
        list.outputs = {removal_list};
        record::write_manifest(options.removal_list + ".manifest.json", list);
    }
    if (!options.manifest.empty()) record::write_manifest(options.manifest, manifest);
    if (target == Target::kFile || target == Target::kFolder) {
        record::write_manifest(record::manifest_path(options.output), manifest);
    }
}

}  // namespace longhaul::dedup
