// SPDX-License-Identifier: BSD-3-Clause
#include "lib/parallel/flat_layout.h"

#include <algorithm>

#include "lib/base/check.h"

namespace longhaul::parallel {

namespace {

int64_t round_up(int64_t value, int64_t step) {
    return (value + step - 1) / step * step;
}

}  // namespace

FlatLayout::FlatLayout(std::span<const int> params, std::span<const int64_t> counts, int num_shards)
    : num_shards_(num_shards) {
    LH_CHECK(params.size() == counts.size() && num_shards >= 1, "{} weights, {} counts, {} shards",
             params.size(), counts.size(), num_shards);
    int64_t first = 0;
    for (size_t i = 0; i < params.size(); ++i) {
        entries_.push_back({params[i], first, counts[i]});
        first = round_up(first + counts[i], kAlign);
    }
    size_ = round_up(first, kAlign * num_shards);
}

tensor::Range FlatLayout::shard(int index) const {
    const int64_t count = size_ / num_shards_;
    return {index * count, count};
}

std::vector<FlatPiece> FlatLayout::pieces(tensor::Range range) const {
    std::vector<FlatPiece> pieces;
    for (const FlatEntry& entry : entries_) {
        const int64_t first = std::max(range.first, entry.first);
        const int64_t last = std::min(range.first + range.count, entry.first + entry.count);
        if (first < last) {
            pieces.push_back({entry.param, first - entry.first, first, last - first});
        }
    }
    return pieces;
}

}  // namespace longhaul::parallel
