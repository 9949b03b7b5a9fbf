// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/locate.h"

#include <set>

#include "lib/base/error.h"

namespace longhaul::ckpt {
namespace fs = std::filesystem;
namespace {

constexpr size_t kMaxLineage = 10'000;

/// The manifest of `directory` if it is the one with hash `self`.
std::optional<Manifest> manifest_with(const fs::path& directory, const Hash128& self) {
    if (!fs::exists(directory / kManifestName)) return std::nullopt;
    try {
        Manifest manifest = read_manifest(directory);
        if (manifest.self == self) return manifest;
    } catch (const Error&) {
        // A damaged relative is no relative.
    }
    return std::nullopt;
}

Ancestor find_parent(const fs::path& child, const Parent& parent) {
    const fs::path recorded = parent.directory;
    for (const fs::path& place :
         {child.parent_path() / recorded.filename(), recorded, child.parent_path() / recorded}) {
        if (auto manifest = manifest_with(place, parent.self)) {
            return {place, true, std::move(*manifest)};
        }
    }
    for (const Candidate& candidate : list_checkpoints(child.parent_path())) {
        if (candidate.self != parent.self) continue;
        if (auto manifest = manifest_with(candidate.directory, parent.self)) {
            return {candidate.directory, true, std::move(*manifest)};
        }
    }
    return {recorded, false, {}};
}

}  // namespace

bool is_checkpoint_directory(const fs::path& path) {
    if (fs::exists(path / kManifestName)) return true;
    std::error_code error;
    for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
        const std::string name = it->path().filename().string();
        if (name.starts_with("rank-") && name.ends_with(".h5")) return true;
    }
    return false;
}

fs::path checkpoint_folder(const fs::path& path) {
    const fs::path inside = path / "ckpt";
    return fs::is_directory(inside) ? inside : path;
}

fs::path locate_checkpoint(const fs::path& path) {
    const fs::path plain = path.has_filename() ? path : path.parent_path();
    if (fs::exists(plain / kManifestName)) return plain;
    if (!fs::exists(plain)) throw UsageError(format("{}: no such directory", plain.string()));
    std::string reasons;
    for (const Candidate& candidate : list_checkpoints(checkpoint_folder(plain))) {
        if (candidate.is_loadable()) return candidate.directory;
        reasons += format("; {}: {}", candidate.directory.filename().string(), candidate.reason);
    }
    throw UsageError(format("{}: no loadable checkpoint{}; ckpt-reshard doctor tells more",
                            plain.string(), reasons));
}

std::vector<Ancestor> lineage(const fs::path& directory) {
    std::vector<Ancestor> line;
    line.push_back({directory, true, read_manifest(directory)});
    std::set<Hash128> seen;
    while (line.back().is_found && line.size() < kMaxLineage) {
        const Ancestor& last = line.back();
        const Parent& parent = last.manifest.header.parent;
        if (parent.directory.empty() || !seen.insert(last.manifest.self).second) break;
        line.push_back(find_parent(fs::absolute(last.directory), parent));
    }
    return line;
}

}  // namespace longhaul::ckpt
