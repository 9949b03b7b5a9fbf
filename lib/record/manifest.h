// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Manifests: what made a file or folder (longhaul-manifest.5). They hold no time, host, threads or
// tasks, so equal inputs and options give an equal manifest; those go to a report.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/hash.h"
#include "lib/io/json_fwd.h"

namespace longhaul::record {

/// One input or output as stored on disk.
struct FileEntry {
    std::string path;  // inputs as given; outputs relative to the manifest's folder
    uint64_t bytes = 0;
    uint64_t records = 0;
    Hash128 xxh3_128;  // of the bytes as stored
};

struct Manifest {
    std::string tool;                 // "tok-shard"
    std::string version;              // of Longhaul
    std::string kind;                 // "documents", "token-shards", "removal-list", ...
    std::string options_json = "{}";  // the options that decide the output, one JSON object
    std::vector<FileEntry> inputs;
    std::vector<FileEntry> outputs;
    std::vector<std::string> parents;  // hashes (hex) of the inputs' manifests
    std::string details_json = "{}";   // what readers need: dtype, vocabulary size, totals
};

/// Canonical text: one pretty JSON object, fixed key order. Its XXH3-128 names the manifest.
std::string manifest_text(const Manifest& manifest);
Hash128 manifest_hash(const Manifest& manifest);
/// @throws DataError naming file and key.
Manifest read_manifest(const std::filesystem::path& path);
void write_manifest(const std::filesystem::path& path, const Manifest& manifest);

/// "manifest.json" in a folder, "OUT.manifest.json" beside a file.
std::filesystem::path manifest_path(const std::filesystem::path& output);
/// For a file that a manifest is to name. @throws UsageError: its name is not UTF-8, which JSON can
/// not hold, so that later runs would not find it again
void check_name(const std::string& path);
/// The first difference of everything that decides the output (tool, kind, options, inputs),
/// or nothing: "option \"threshold\": 0.8 there, 0.7 asked".
std::optional<std::string> first_difference(const Manifest& there, const Manifest& asked);

/// State of an output before work begins (DESIGN section 2, "Outputs").
enum class OutputState { kAbsent, kUnfinished, kComplete };
/// Complete with the same manifest: kComplete (exit 0 at once). A different one: UsageError naming
/// the first difference, unless `force`. Unfinished (no manifest, or a listed output is missing or
/// has another size): kUnfinished. @throws DataError for a damaged manifest, unless `force`
OutputState check_output(const std::filesystem::path& output, const Manifest& asked, bool force);

}  // namespace longhaul::record
