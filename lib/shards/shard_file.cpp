// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/shard_file.h"

#include <algorithm>
#include <array>

#include "lib/base/error.h"
#include "lib/shards/hdf5_shard.h"
#include "lib/shards/mds_shard.h"
#include "lib/shards/megatron_shard.h"

namespace longhaul::shards {

uint64_t ShardFile::find_document(uint64_t token) const {
    // Binary search on disk down to one block: about log2(n / 512) small reads.
    constexpr uint64_t kBlock = 512;
    uint64_t low = 0, high = num_documents_;  // offset[low] <= token < offset[high]
    while (high - low > kBlock) {
        const uint64_t middle = low + (high - low) / 2;
        uint64_t offset = 0;
        read_offsets(middle, {&offset, 1});
        (offset <= token ? low : high) = middle;
    }
    std::array<uint64_t, kBlock + 1> offsets;
    const auto part = std::span(offsets).first(high - low + 1);
    read_offsets(low, part);
    const auto after = std::upper_bound(part.begin(), part.end(), token);
    // Empty documents share an offset: the last of them that begins at or before the token.
    return low + static_cast<uint64_t>(after - part.begin()) - 1;
}

void ShardFile::check_offsets(uint64_t first, std::span<const uint64_t> offsets) const {
    uint64_t previous = 0;
    for (size_t i = 0; i < offsets.size(); ++i) {
        const uint64_t document = first + i;
        const bool is_end = document == num_documents_;
        const bool is_wrong_end = (document == 0 && offsets[i] != 0) ||
                                  (is_end && offsets[i] != num_tokens_) || offsets[i] > num_tokens_;
        if (!is_wrong_end && offsets[i] >= previous) {
            previous = offsets[i];
            continue;
        }
        throw DataError(format("{}: {} {} begins at token {}, after {} and before {}", name_,
                               is_end ? "the end after document" : "document",
                               is_end ? document - 1 : document, offsets[i], previous,
                               num_tokens_));
    }
}

std::unique_ptr<ShardFile> open_shard(const std::filesystem::path& folder,
                                      const ShardDetails& details, size_t index) {
    switch (details.format) {
        case ShardFormat::kMegatron:
            return std::make_unique<MegatronShard>(folder, details, index);
        case ShardFormat::kMds:
            return std::make_unique<MdsShard>(folder, details, index);
        case ShardFormat::kHdf5:
            break;
    }
    return std::make_unique<Hdf5Shard>(folder, details, index);
}

}  // namespace longhaul::shards
