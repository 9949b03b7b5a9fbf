// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/commit.h"

#include <unistd.h>

#include <random>
#include <system_error>

#include "lib/base/error.h"
#include "lib/io/atomic_file.h"
#include "lib/io/file.h"
#include "lib/log/log.h"

namespace longhaul::ckpt {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kTemporaryInfix = ".tmp-";
constexpr std::string_view kTrashPrefix = ".trash-";

std::string nonce() {
    std::random_device random;
    return format("{}-{:08x}", ::getpid(), static_cast<uint32_t>(random()));
}

fs::path parent_of(const fs::path& directory) {
    const fs::path parent = directory.parent_path();
    return parent.empty() ? fs::path(".") : parent;
}

void rename_checked(const fs::path& from, const fs::path& to) {
    if (::rename(from.c_str(), to.c_str()) != 0) {
        throw IoError(format("cannot rename {} to {}", from.string(), to.string()));
    }
}

fs::path trash_name(const fs::path& directory) {
    return parent_of(directory) /
           format("{}{}-{}", kTrashPrefix, directory.filename().string(), nonce());
}

/// The last two renames. On failure an existing `final_directory` is put back.
void swap_in(const fs::path& temporary, const fs::path& final_directory, const fs::path& trash) {
    const bool replaces = fs::exists(fs::symlink_status(final_directory));
    if (replaces) rename_checked(final_directory, trash);
    try {
        rename_checked(temporary, final_directory);
    } catch (Error& error) {
        if (replaces && ::rename(trash.c_str(), final_directory.c_str()) != 0) {
            error.add_context(format("the checkpoint before it is kept as {}", trash.string()));
        }
        throw;
    }
}

std::vector<fs::path> entries_of(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        entries.push_back(it->path());
    }
    return entries;
}

}  // namespace

std::optional<std::string> final_name_of_temporary(const std::string& name) {
    const size_t infix = name.rfind(kTemporaryInfix);
    if (name.empty() || name[0] != '.' || infix == std::string::npos || infix < 2) {
        return std::nullopt;
    }
    return name.substr(1, infix - 1);
}

bool is_trash_name(const std::string& name) {
    return name.starts_with(kTrashPrefix);
}

fs::path make_temporary(const fs::path& final_directory) {
    const fs::path parent = parent_of(final_directory);
    io::create_directories(parent);
    finish_interrupted_commits(parent);  // a complete temporary may be the only copy
    const std::string name = final_directory.filename().string();
    for (const fs::path& entry : entries_of(parent)) {
        const std::string entry_name = entry.filename().string();
        if (!is_trash_name(entry_name) && final_name_of_temporary(entry_name) == name) {
            remove_directory(entry);
        }
    }
    fs::path temporary = parent / format(".{}{}{}", name, kTemporaryInfix, nonce());
    io::create_directories(temporary);
    return temporary;
}

void publish_directory(const fs::path& temporary, const fs::path& final_directory) {
    const fs::path trash = trash_name(final_directory);
    try {
        swap_in(temporary, final_directory, trash);
    } catch (Error&) {
        // Without its final name in place the complete temporary is the only copy: keep it.
        if (!fs::exists(trash)) remove_directory(temporary);
        throw;
    }
    io::sync_directory(parent_of(final_directory));
    if (fs::exists(trash)) remove_directory(trash);
}

void commit_directory(const fs::path& temporary, const fs::path& final_directory,
                      Manifest& manifest) {
    try {
        io::write_file_atomically(temporary / kManifestName, manifest_text(manifest));
    } catch (Error&) {
        remove_directory(temporary);
        throw;
    }
    publish_directory(temporary, final_directory);
}

void remove_directory(const fs::path& directory) noexcept {
    std::error_code error;
    fs::remove(directory / kManifestName, error);
    fs::remove_all(directory, error);
    if (error) log::warn("cannot delete {}: {}", directory.string(), error.message());
}

void trash_directory(const fs::path& directory) {
    const fs::path trash = trash_name(directory);
    rename_checked(directory, trash);
    io::sync_directory(parent_of(directory));
    remove_directory(trash);
}

std::vector<fs::path> finish_interrupted_commits(const fs::path& folder) {
    std::vector<fs::path> finished;
    for (const fs::path& entry : entries_of(folder)) {
        const auto name = final_name_of_temporary(entry.filename().string());
        if (!name || is_trash_name(entry.filename().string())) continue;
        const fs::path final_directory = folder / *name;
        if (fs::exists(final_directory) || !fs::exists(entry / kManifestName)) continue;
        try {
            if (missing_content(entry, read_manifest(entry))) continue;
            rename_checked(entry, final_directory);
            io::sync_directory(folder);
            finished.push_back(final_directory);
        } catch (const Error& error) {
            log::warn("leaving {}: {}", entry.string(), error.describe());
        }
    }
    return finished;
}

std::optional<std::string> missing_content(const fs::path& directory, const Manifest& manifest) {
    for (const FileEntry& file : manifest.files) {
        const fs::path path = directory / file.name;
        std::error_code error;
        const uint64_t bytes = fs::file_size(path, error);
        if (error) return format("{}: {}", path.string(), error.message());
        if (bytes != file.bytes) {
            return format("{}: has {} bytes, the manifest says {}: it was cut or replaced",
                          path.string(), bytes, file.bytes);
        }
    }
    return std::nullopt;
}

}  // namespace longhaul::ckpt
