// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/replaceable.h"

#include <algorithm>
#include <array>

#include "lib/base/error.h"
#include "lib/ckpt/manifest.h"

namespace longhaul::ckpt {
namespace fs = std::filesystem;
namespace {

/// Without a trailing slash, links resolved as far as the path exists.
fs::path real_path(const fs::path& path) {
    const fs::path whole = fs::weakly_canonical(fs::absolute(path));
    return whole.has_filename() ? whole : whole.parent_path();
}

bool is_same_or_inside(const fs::path& inner, const fs::path& outer) {
    return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first ==
           outer.end();
}

bool is_checkpoint_entry(const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    if (entry.is_symlink()) return false;
    if (name == "tokenizer") return entry.is_directory();
    return entry.is_regular_file() &&
           (name == kManifestName || (name.starts_with("rank-") && name.ends_with(".h5")));
}

bool is_model_entry(const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    if (entry.is_symlink() || !entry.is_regular_file()) return false;
    return name == "config.json" || name == "generation_config.json" ||
           name.ends_with(".safetensors") || name.ends_with(".safetensors.index.json") ||
           is_tokenizer_file(name);
}

void check_entries(const fs::path& directory, Output output) {
    const bool is_checkpoint = output == Output::kCheckpoint;
    for (const auto& entry : fs::directory_iterator(directory)) {
        if (is_checkpoint ? is_checkpoint_entry(entry) : is_model_entry(entry)) continue;
        throw UsageError(
            format("{} is not replaced: {} in it is no part of a {}; name another "
                   "destination or move it away",
                   directory.string(), entry.path().filename().string(),
                   is_checkpoint ? "checkpoint" : "Hugging Face model"));
    }
}

}  // namespace

bool is_tokenizer_file(std::string_view name) {
    static constexpr std::array<std::string_view, 9> kNames{
        "added_tokens.json", "chat_template.json", "chat_template.jinja",
        "merges.txt",        "normalizer.json",    "special_tokens_map.json",
        "vocab.bpe",         "vocab.json",         "vocab.txt"};
    return name.starts_with("tokenizer") || name.ends_with(".tiktoken") ||
           name.ends_with(".model") || name == "encoder.json" ||
           std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

fs::path check_destination(const fs::path& source, const fs::path& destination, Output output,
                           bool force) {
    const fs::path plain = destination.has_filename() ? destination : destination.parent_path();
    const std::string name = plain.string();
    const fs::path last = plain.filename();
    if (last.empty() || last == "." || last == "..") {
        throw UsageError(format("destination '{}': a directory with a name is needed", name));
    }
    const fs::file_status status = fs::symlink_status(plain);
    if (fs::is_symlink(status)) {
        throw UsageError(format("{} is a symbolic link; name the directory itself", name));
    }
    if (fs::exists(status) && !fs::is_directory(status)) {
        throw UsageError(format("{} exists and is no directory", name));
    }
    const fs::path from = real_path(source);
    const fs::path to = real_path(plain);
    if (is_same_or_inside(from, to) || is_same_or_inside(to, from)) {
        const char* relation = from == to                    ? "is"
                               : is_same_or_inside(from, to) ? "contains"
                                                             : "lies in";
        throw UsageError(format("destination {} {} the source {}; name another one", name, relation,
                                source.string()));
    }
    if (force && fs::exists(status)) check_entries(plain, output);
    return plain;
}

}  // namespace longhaul::ckpt
