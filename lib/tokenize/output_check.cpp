// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/output_check.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "lib/base/error.h"
#include "lib/io/file.h"
#include "lib/io/hash_file.h"
#include "lib/shards/format.h"
#include "lib/token/load.h"

namespace longhaul::tokenize {

namespace fs = std::filesystem;

namespace {

using Time = std::pair<int64_t, int64_t>;  // seconds, nanoseconds

constexpr const char* kRemedy = "tok-shard --force makes the shards again";

Time time_of(const timespec& time) {
    return {time.tv_sec, time.tv_nsec};
}

struct stat stat_of(const std::string& path) {
    struct stat result {};
    if (::stat(path.c_str(), &result) != 0) throw IoError("cannot look at " + path);
    return result;
}

void check_shards(const fs::path& folder, const shards::ShardDetails& details) {
    for (const auto& [file, wanted] : shards::stored_files(details)) {
        const fs::path path = folder / file;
        std::error_code error;
        const uint64_t bytes = fs::file_size(path, error);
        if (error) {
            throw UsageError(format("{}: {}, but the manifest lists it; {}", path.string(),
                                    error.message(), kRemedy));
        }
        if (bytes == wanted) continue;
        throw UsageError(format("{}: {} bytes, the manifest says {}; {}", path.string(), bytes,
                                wanted, kRemedy));
    }
}

void check_tokenizer(const std::string& folder, const token::Tokenizer& tokenizer) {
    Hash128 hash;
    try {
        hash = token::load_tokenizer({folder, "", {}}).hash();
    } catch (const Error& error) {
        throw UsageError(format("{}: damaged: {}; {}", folder, error.describe(), kRemedy));
    }
    if (hash != tokenizer.hash()) {
        throw UsageError(
            format("{}: not the tokenizer that the shards were made with; {}", folder, kRemedy));
    }
}

/// Reads again what was written or replaced since the manifest (the time of a change of the inode
/// also tells a file that was moved here).
void check_inputs(const fs::path& manifest_path, const record::Manifest& manifest,
                  const shards::ShardDetails& details) {
    const Time made = time_of(stat_of(manifest_path.string()).st_mtim);
    for (size_t i = 0; i < details.segments.size() && i < manifest.inputs.size(); ++i) {
        const shards::Segment& segment = details.segments[i];
        const std::string& path = details.inputs.at(segment.input);
        if (path == "-" || !fs::is_regular_file(path)) continue;
        const struct stat input = stat_of(path);
        if (std::max(time_of(input.st_mtim), time_of(input.st_ctim)) < made) continue;
        if (std::cmp_greater_equal(input.st_size, segment.end) &&
            io::hash_range(path, segment.begin, segment.end) == manifest.inputs[i].xxh3_128) {
            continue;
        }
        throw UsageError(
            format("{} is complete, but {} has changed since; use another output or --force",
                   manifest_path.parent_path().string(), path));
    }
}

}  // namespace

void check_output_path(const std::string& path, const char* option,
                       const std::vector<std::string>& inputs) {
    if (path == "-") throw UsageError(format("{}: names a file, not standard output", option));
    for (const std::string& input : inputs) {
        std::error_code ignored;  // one of them does not exist: not the same file
        if (input == "-" || !fs::equivalent(path, input, ignored)) continue;
        throw UsageError(format("{} {}: it is an input and would be overwritten", option, path));
    }
}

bool is_inside(const std::string& path, const std::string& folder) {
    const fs::path relative = fs::weakly_canonical(fs::absolute(path))
                                  .lexically_relative(fs::weakly_canonical(fs::absolute(folder)));
    return !relative.empty() && *relative.begin() != "..";
}

void check_outside(const std::string& path, const char* what, const std::string& output) {
    if (path.empty() || path == "-" || !is_inside(path, output)) return;
    throw UsageError(format("{} {} lies in --output {}, which --force empties; copy it elsewhere",
                            what, path, output));
}

record::Manifest check_complete_folder(const std::string& output,
                                       const token::Tokenizer& tokenizer) {
    const fs::path folder(output);
    shards::ShardDetails details;
    record::Manifest manifest;
    try {
        manifest = shards::read_shard_manifest(folder, details);
    } catch (const Error& error) {
        throw UsageError(format("the manifest is damaged: {}; {}", error.describe(), kRemedy));
    }
    check_shards(folder, details);
    check_tokenizer((folder / "tokenizer").string(), tokenizer);
    return manifest;
}

void check_complete(const EncodeJob& job, const token::Tokenizer& tokenizer) {
    const record::Manifest manifest = check_complete_folder(job.output, tokenizer);
    const fs::path path = fs::path(job.output) / "manifest.json";
    check_inputs(path, manifest, shards::details_from_json(manifest.details_json, path.string()));
}

}  // namespace longhaul::tokenize
