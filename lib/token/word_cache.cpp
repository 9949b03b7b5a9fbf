// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/word_cache.h"

#include <algorithm>
#include <bit>

namespace longhaul::token {

WordCache::WordCache(size_t max_bytes) {
    // Three quarters for the table, a quarter for the overflow.
    const size_t wanted = std::max<size_t>(1024, max_bytes / 4 * 3 / sizeof(Entry));
    entries_.resize(std::bit_floor(wanted));
    mask_ = entries_.size() - 1;
    max_entries_ = entries_.size() / 2;
    max_overflow_ = std::max<size_t>(1024, max_bytes / 4 / sizeof(uint32_t));
}

void WordCache::wipe() {
    std::fill(entries_.begin(), entries_.end(), Entry{});
    overflow_.clear();
    size_ = 0;
    ++num_wipes_;
}

void WordCache::store(Entry* slot, const Key& key, std::span<const uint32_t> ids) {
    if (size_ >= max_entries_ || overflow_.size() + ids.size() > max_overflow_) {
        wipe();
        slot = find(key);
    }
    slot->key = key;
    slot->count = static_cast<uint32_t>(ids.size());
    if (ids.size() <= 3) {
        std::copy(ids.begin(), ids.end(), slot->ids);
    } else {
        slot->ids[0] = static_cast<uint32_t>(overflow_.size());
        overflow_.insert(overflow_.end(), ids.begin(), ids.end());
    }
    ++size_;
}

}  // namespace longhaul::token
