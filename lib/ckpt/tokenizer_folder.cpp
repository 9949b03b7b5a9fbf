// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/tokenizer_folder.h"

#include <vector>

namespace longhaul::ckpt {

namespace fs = std::filesystem;

namespace {

/// RUN/ckpt/step-... -> RUN/tokenizer. A trailing slash is no part of the name.
fs::path beside_run(const fs::path& checkpoint) {
    const fs::path folder = fs::absolute(checkpoint / "").lexically_normal().parent_path();
    return folder.parent_path().parent_path() / "tokenizer";
}

}  // namespace

std::optional<fs::path> tokenizer_folder(const Checkpoint& checkpoint) {
    const Header& header = checkpoint.header();
    const fs::path parent = header.parent.directory;
    std::vector<fs::path> candidates = {checkpoint.directory() / "tokenizer",
                                        beside_run(checkpoint.directory())};
    if (!parent.empty()) candidates.push_back(beside_run(parent));
    for (const DataManifest& data : header.data) {
        candidates.push_back(fs::path(data.path) / "tokenizer");
    }
    for (const fs::path& candidate : candidates) {
        if (fs::is_directory(candidate)) return candidate;
    }
    const bool is_import = header.checkpoint_class == "import";
    if (is_import && fs::exists(parent / "tokenizer_config.json")) return parent;
    return std::nullopt;
}

}  // namespace longhaul::ckpt
