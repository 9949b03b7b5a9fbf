// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/cached_shard.h"

#include <sys/stat.h>

#include <map>

#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/io/atomic_file.h"
#include "lib/io/json.h"

namespace longhaul::shards {

namespace fs = std::filesystem;

namespace {

CachedShard foreign_shard(const fs::path& folder, const ShardDetails& details,
                          const ShardEntry& entry) {
    std::vector<std::string> names = {entry.file};
    if (details.format == ShardFormat::kMegatron) {
        names.push_back(fs::path(entry.file).replace_extension(".idx").string());
    } else if (!entry.zip_file.empty() && !fs::exists(folder / entry.file)) {
        names = {entry.zip_file};
    }
    CachedShard shard;
    for (const std::string& name : names) {
        shard.files.push_back({name, io::file_size(folder / name), {}});
    }
    return shard;
}

CachedFile whole_file(const std::string& name, uint64_t bytes, const Hash128& hash) {
    return {name, bytes, {{bytes, hash}}};
}

/// The parts of the one .bin are those of its shards, in their order.
CachedShard merged_shard(const ShardDetails& details) {
    CachedShard shard;
    std::map<std::string, size_t> places;
    for (const StoredPart& part : stored_parts(details)) {
        const auto [place, is_new] = places.emplace(part.file, shard.files.size());
        if (is_new) shard.files.push_back({part.file, 0, {}});
        CachedFile& file = shard.files[place->second];
        file.bytes += part.bytes;
        file.parts.push_back({part.bytes, part.xxh3_128});
    }
    return shard;
}

fs::path memory_of(const fs::path& folder, const FileState& state) {
    return folder / ("known-" + xxh3_128(state.path.string()).hex());
}

}  // namespace

std::vector<CachedShard> cached_shards(const fs::path& folder, const ShardDetails& details) {
    std::vector<CachedShard> shards;
    if (!details.is_foreign && !details.merged.empty()) return {merged_shard(details)};
    for (const ShardEntry& entry : details.shards) {
        if (details.is_foreign) {
            shards.push_back(foreign_shard(folder, details, entry));
            continue;
        }
        CachedShard& shard = shards.emplace_back();
        shard.files.push_back(whole_file(entry.file, entry.bytes, entry.xxh3_128));
        for (const SideFile& more : entry.more) {
            shard.files.push_back(whole_file(more.file, more.bytes, more.xxh3_128));
        }
    }
    return shards;
}

Hash128 content_of(const CachedFile& file) {
    LH_CHECK(!file.parts.empty(), "{}", file.name);
    if (file.parts.size() == 1) return file.parts.front().hash;
    Hasher128 hasher;
    for (const CachedFile::Part& part : file.parts) hasher.update(part.hash.hex());
    return hasher.digest();
}

Hash128 key_of(const CachedShard& shard, std::span<const Hash128> contents) {
    LH_CHECK(contents.size() == shard.files.size() && !contents.empty(), "{} of {}",
             contents.size(), shard.files.size());
    if (contents.size() == 1) return contents.front();
    Hasher128 hasher;
    for (size_t i = 0; i < contents.size(); ++i) {
        hasher.update(format("{} {}\n", contents[i].hex(), shard.files[i].name));
    }
    return hasher.digest();
}

FileState state_of(const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        throw IoError(format("cannot look at {}", path.string()));
    }
    constexpr int64_t kSecond = 1'000'000'000;
    std::error_code error;
    fs::path whole = fs::weakly_canonical(path, error);
    return {error ? fs::absolute(path) : std::move(whole), static_cast<uint64_t>(status.st_size),
            static_cast<uint64_t>(status.st_ino),
            static_cast<int64_t>(status.st_mtim.tv_sec) * kSecond + status.st_mtim.tv_nsec};
}

std::optional<Hash128> remembered_content(const fs::path& folder, const FileState& state) {
    const fs::path memory = memory_of(folder, state);
    if (!fs::exists(memory)) return std::nullopt;
    try {
        const std::string source = memory.string();
        const io::Json json = io::read_json_file(memory);
        const FileState then{io::require<std::string>(json, "path", source),
                             io::require<uint64_t>(json, "bytes", source),
                             io::require<uint64_t>(json, "inode", source),
                             io::require<int64_t>(json, "modified_ns", source)};
        if (!(then == state)) return std::nullopt;
        return Hash128::from_hex(io::require<std::string>(json, "xxh3_128", source));
    } catch (const DataError&) {
        return std::nullopt;  // torn: as if nothing was remembered
    }
}

void remember_content(const fs::path& folder, const FileState& state, const Hash128& content) {
    const io::Json json{{"path", state.path.string()},
                        {"bytes", state.bytes},
                        {"inode", state.inode},
                        {"modified_ns", state.modified_ns},
                        {"xxh3_128", content.hex()}};
    io::write_file_atomically(memory_of(folder, state), io::to_line(json) + "\n");
}

}  // namespace longhaul::shards
