// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/shard_set.h"

#include <fcntl.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/io/file.h"
#include "lib/io/hash_file.h"
#include "lib/shards/mds_format.h"
#include "lib/shards/megatron_shard.h"

namespace longhaul::shards {

namespace {

namespace fs = std::filesystem;

/// "corpus" of "corpus", "corpus.idx" and "corpus.bin", when there is a corpus.idx.
std::optional<fs::path> megatron_prefix(const fs::path& path) {
    fs::path prefix = path;
    if (path.extension() == ".idx" || path.extension() == ".bin") prefix.replace_extension();
    std::error_code ignored;
    if (fs::is_regular_file(prefix.string() + ".idx", ignored)) return prefix;
    return std::nullopt;
}

/// The folder of "mds" and "mds/index.json". One with plan.json is ours and unfinished: tok-shard
/// writes index.json last but one.
std::optional<fs::path> mds_folder(const fs::path& path) {
    const fs::path folder = path.filename() == "index.json" ? path.parent_path() : path;
    const bool is_ours = fs::exists(folder / "manifest.json") || fs::exists(folder / "plan.json");
    if (is_ours || !fs::is_regular_file(folder / "index.json")) return std::nullopt;
    return folder;
}

/// Files of other programs without what makes them readable would be told as a folder of ours.
/// @throws DataError
void check_has_index(const fs::path& path) {
    std::error_code ignored;
    if (fs::exists(path / "manifest.json", ignored) || fs::exists(path / "plan.json", ignored)) {
        return;
    }
    fs::path prefix = path;
    if (path.extension() == ".bin") prefix.replace_extension();
    if (fs::is_regular_file(prefix.string() + ".bin", ignored)) {
        throw DataError(
            format("{0}.bin: no {0}.idx beside it: the index says where its documents "
                   "lie",
                   prefix.string()));
    }
    for (const auto& entry : fs::directory_iterator(path, ignored)) {
        if (entry.path().extension() != ".mds") continue;
        throw DataError(format("{}: shards of MDS without their index.json", path.string()));
    }
}

void describe(const OpenOptions& options, const fs::path& path, ShardDetails& details) {
    if (options.vocab_size == 0 && !options.may_lack_vocab_size) {
        throw UsageError(
            format("{}: does not say how many ids its vocabulary has; give the "
                   "tokenizer or the number, or make a folder with a manifest by "
                   "tok-shard convert",
                   path.string()));
    }
    details.is_foreign = true;
    details.vocab_size = options.vocab_size;
    details.borders = options.borders;
    details.tokenizer_hash = options.tokenizer_hash;
    details.has_bare_documents = true;  // nobody says that there are none
}

void add_totals(ShardSet& set) {
    for (size_t i = 0; i < set.details.shards.size(); ++i) {
        const auto shard = open_shard(set.folder, set.details, i);
        ShardEntry& entry = set.details.shards[i];
        entry.num_tokens = shard->num_tokens();
        set.details.num_tokens += entry.num_tokens;
        set.details.num_documents += shard->num_documents();
    }
    set.details.segments.push_back({0, 0, 0, 0, 0});
}

ShardSet open_megatron(const fs::path& path, const fs::path& prefix, const OpenOptions& options) {
    constexpr uint64_t kEnds = 1 << 20;
    ShardSet set{path, prefix.parent_path(), {}, std::nullopt, {}};
    describe(options, path, set.details);
    set.details.format = ShardFormat::kMegatron;
    const std::string bin = prefix.string() + ".bin", idx = prefix.string() + ".idx";
    set.details.inputs = {bin};
    ShardEntry entry;
    entry.file = prefix.filename().string() + ".bin";
    entry.bytes = io::file_size(bin);
    {
        const MegatronIndex index(io::open_file(idx, O_RDONLY), idx);
        set.details.token_type = index.token_type();
        entry.num_documents = index.num_documents();
    }
    set.details.shards.push_back(entry);
    add_totals(set);
    Hasher128 hasher;
    io::hash_range(idx, 0, io::file_size(idx), hasher);
    io::hash_range(bin, 0, std::min(kEnds, entry.bytes), hasher);
    io::hash_range(bin, entry.bytes - std::min(kEnds, entry.bytes), entry.bytes, hasher);
    set.hash = hasher.digest();
    return set;
}

ShardSet open_mds(const fs::path& folder, const OpenOptions& options) {
    ShardSet set{folder, folder, {}, std::nullopt, {}};
    describe(options, folder, set.details);
    set.details.format = ShardFormat::kMds;
    const std::string source = (folder / "index.json").string();
    const std::string text = io::read_text_file(source);
    MdsIndex index = parse_mds_index(text, options.column, source);
    set.details.inputs = {source};
    set.details.columns = std::move(index.columns);
    if (!index.shards.empty()) {
        const MdsTokenEncoding encoding =
            parse_token_encoding(set.details.columns.encodings[set.details.columns.tokens], source);
        set.details.token_type = encoding.type;
        set.details.sample_tokens = encoding.sample_tokens;
    }
    for (const MdsShardInfo& shard : index.shards) {
        ShardEntry entry;
        entry.file = shard.file;
        entry.bytes = shard.bytes;
        entry.num_documents = shard.num_samples;
        entry.zip_file = shard.zip_file;
        set.details.shards.push_back(entry);
    }
    add_totals(set);
    set.hash = xxh3_128(text);
    return set;
}

}  // namespace

std::string ShardSet::tokenizer_folder() const {
    return details.is_foreign ? "" : (folder / "tokenizer").string();
}

bool is_foreign_set(const fs::path& path) {
    return (megatron_prefix(path) && !fs::is_directory(path)) || mds_folder(path);
}

ShardSet open_shard_set(const fs::path& path, const OpenOptions& options) {
    if (const auto prefix = megatron_prefix(path); prefix && !fs::is_directory(path)) {
        return open_megatron(path, *prefix, options);
    }
    if (const auto folder = mds_folder(path)) return open_mds(*folder, options);
    check_has_index(path);
    if (!fs::exists(path)) throw IoError("cannot open " + path.string(), ENOENT);
    ShardSet set{path, path, {}, std::nullopt, {}};
    set.manifest = read_shard_manifest(path, set.details);
    set.hash = record::manifest_hash(*set.manifest);
    return set;
}

}  // namespace longhaul::shards
