// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/source_hashes.h"

#include "lib/base/error.h"
#include "lib/io/hash_file.h"

namespace longhaul::tokenize {

SourceHashes::SourceHashes(const shards::ShardSet& set) : set_(set) {
    const shards::ShardDetails& details = set.details;
    if (details.is_foreign) return;
    const std::vector<shards::StoredPart> parts = shards::stored_parts(details);
    auto next = parts.begin();
    uint64_t first_token = 0;
    for (const shards::ShardEntry& entry : details.shards) {
        const auto end = next + 1 + static_cast<ptrdiff_t>(entry.more.size());
        auto shard = std::make_unique<Shard>();
        shard->first_token = first_token;
        shard->num_tokens = entry.num_tokens;
        shard->parts.assign(next, end);
        shards_.push_back(std::move(shard));
        first_token += entry.num_tokens;
        next = end;
    }
    of_set_.assign(next, parts.end());
}

void SourceHashes::check(uint64_t first_token, uint64_t num_tokens) {
    std::call_once(is_set_checked_, [&] {
        for (const shards::StoredPart& part : of_set_) check_part(part);
    });
    const uint64_t end = first_token + num_tokens;
    for (const auto& shard : shards_) {
        const uint64_t shard_end = shard->first_token + shard->num_tokens;
        const bool has_tokens = shard->num_tokens > 0 && num_tokens > 0;
        const bool is_needed = has_tokens ? shard->first_token < end && shard_end > first_token
                                          : shard->first_token <= end && shard_end >= first_token;
        if (!is_needed) continue;
        std::call_once(shard->is_checked, [&] {
            for (const shards::StoredPart& part : shard->parts) check_part(part);
        });
    }
}

void SourceHashes::check_part(const shards::StoredPart& part) const {
    const std::string path = (set_.folder / part.file).string();
    const uint64_t end = part.begin + part.bytes;
    const Hash128 hash = io::hash_range(path, part.begin, end);
    if (hash == part.xxh3_128) return;
    throw DataError(path, part.begin,
                    format("{} bytes hash to {}, the manifest says {}: damaged since they were "
                           "written; see tok-shard verify",
                           part.bytes, hash.hex(), part.xxh3_128.hex()));
}

}  // namespace longhaul::tokenize
