// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/piece_cache.h"

#include <algorithm>

namespace longhaul::token {

namespace {
constexpr size_t kLineBytes = 64;
constexpr size_t kFirstLines = 1024;
}  // namespace

template <size_t kWords>
PieceTable<kWords>::PieceTable(size_t max_bytes)
    : pages_(kFirstLines * kLineBytes),
      mask_(kFirstLines - 1),
      max_bytes_(max_bytes / 4 * 3),
      max_overflow_(std::max<size_t>(1024, max_bytes / 4 / sizeof(uint32_t))) {}

template <size_t kWords>
void PieceTable<kWords>::wipe() {
    std::memset(pages_.data(), 0, pages_.size());
    overflow_.clear();
    size_ = 0;
    ++num_wipes_;
}

template <size_t kWords>
void PieceTable<kWords>::grow() {
    // Old and new table exist together for a moment.
    const size_t bytes = pages_.size() * 2;
    if (bytes + bytes / 2 > max_bytes_) {
        wipe();
        return;
    }
    PageBlock old(bytes);
    std::swap(old, pages_);
    const size_t num_old = (mask_ + 1) * kPerLine;
    mask_ = bytes / kLineBytes - 1;
    const auto* entries = static_cast<const Entry*>(old.data());
    for (size_t i = 0; i < num_old; ++i) {
        if (!entries[i].key.is_empty()) *find(entries[i].key, entries[i].key.hash()) = entries[i];
    }
}

template <size_t kWords>
void PieceTable<kWords>::store(Entry* slot, const Key& key, uint64_t hash,
                               std::span<const uint32_t> ids) {
    const bool fits = ids.size() <= kInline;
    if (is_full() || (!fits && overflow_.size() + ids.size() > max_overflow_)) {
        is_full() ? grow() : wipe();
        slot = find(key, hash);
    }
    slot->key = key;
    slot->ids = {};
    if (fits) {
        std::copy(ids.begin(), ids.end(), slot->ids.begin());
    } else {
        slot->ids[0] = static_cast<uint32_t>(overflow_.size());
        slot->ids[1] = static_cast<uint32_t>(ids.size());
        overflow_.insert(overflow_.end(), ids.begin(), ids.end());
    }
    slot->ids[kInline - 1] |= (fits ? static_cast<uint32_t>(ids.size()) : kElsewhere) << 24;
    ++size_;
}

template class PieceTable<2>;
template class PieceTable<4>;

}  // namespace longhaul::token
