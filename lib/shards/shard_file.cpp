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
    // Documents of one corpus have lengths of one kind, so their number grows evenly with the
    // tokens: a guess in proportion finds the block in two or three reads. Where that fails,
    // halves.
    constexpr uint64_t kBlock = 64;
    constexpr int kMostGuesses = 4;
    std::array<uint64_t, kBlock + 1> offsets;
    uint64_t low = 0, high = num_documents_;  // offset[low] <= token < offset[high]
    uint64_t low_offset = 0, high_offset = num_tokens_;
    for (int guesses = 0; high - low > kBlock; ++guesses) {
        const double part = guesses < kMostGuesses
                                ? static_cast<double>(token - low_offset) /
                                      static_cast<double>(high_offset - low_offset)
                                : 0.5;
        const auto guess = low + static_cast<uint64_t>(part * static_cast<double>(high - low));
        const uint64_t first = std::clamp(guess, low + kBlock / 2, high - kBlock / 2) - kBlock / 2;
        const auto block = std::span(offsets).first(kBlock);
        read_offsets(first, block);
        if (block.front() > token) {
            high = first;
            high_offset = block.front();
        } else if (block.back() <= token) {
            low = first + kBlock - 1;
            low_offset = block.back();
        } else {
            low = first;
            high = first + kBlock - 1;
        }
    }
    const auto part = std::span(offsets).first(high - low + 1);
    read_offsets(low, part);
    const auto after = std::upper_bound(part.begin(), part.end(), token);
    if (after == part.begin()) {
        throw DataError(format("{}: no document begins at or before token {}", name_, token));
    }
    // Empty documents share an offset: the last of them that begins at or before the token.
    return low + static_cast<uint64_t>(after - part.begin()) - 1;
}

void ShardFile::append_starts(uint64_t first, uint64_t end, uint64_t base,
                              std::vector<uint64_t>& out) const {
    std::array<uint64_t, 64> offsets;
    const size_t before = out.size();
    for (uint64_t document = find_document(first); document < num_documents_;) {
        const auto part =
            std::span(offsets).first(std::min<uint64_t>(offsets.size(), num_documents_ - document));
        read_offsets(document, part);
        for (const uint64_t offset : part) {
            if (offset >= end) return;
            const bool is_new = out.size() == before || out.back() != base + offset;
            if (offset >= first && is_new) out.push_back(base + offset);
        }
        document += part.size();
    }
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
