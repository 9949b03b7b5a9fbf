// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/piece_cache.h"

#include <algorithm>
#include <utility>

#include "lib/base/check.h"

namespace longhaul::token {

template <size_t kWords>
PieceTable<kWords>::PieceTable(size_t max_bytes, size_t max_overflow_bytes)
    : pages_(kFirstLines * kPerLine * sizeof(Entry)),
      mask_(kFirstLines - 1),
      max_bytes_(max_bytes),
      max_overflow_(std::max<size_t>(1024, max_overflow_bytes / sizeof(uint32_t))) {}

template <size_t kWords>
void PieceTable<kWords>::wipe() {
    std::memset(pages_.data(), 0, pages_.size());
    overflow_.clear();
    size_ = 0;
    most_lines_ = kMostLines;
    ++num_wipes_;
}

template <size_t kWords>
void PieceTable<kWords>::grow() {
    PageBlock old(pages_.size() * 2);
    std::swap(old, pages_);
    const size_t num_old = (mask_ + 1) * kPerLine;
    mask_ = pages_.size() / (kPerLine * sizeof(Entry)) - 1;
    size_ = 0;
    const auto* entries = static_cast<const Entry*>(old.data());
    for (size_t i = 0; i < num_old; ++i) {
        if (entries[i].key.is_empty()) continue;
        Entry* const slot = find(entries[i].key, entries[i].key.hash());
        size_ += slot->key.is_empty() ? 1 : 0;
        *slot = entries[i];
    }
}

/// Where a key that find() did not know is to go. @param num_elsewhere ids for the overflow
template <size_t kWords>
typename PieceTable<kWords>::Entry* PieceTable<kWords>::make_room(Entry* slot, const Key& key,
                                                                  uint64_t hash,
                                                                  size_t num_elsewhere) {
    if (num_elsewhere > 0 && overflow_.size() + num_elsewhere + kCopied > max_overflow_) {
        wipe();
        return find(key, hash);
    }
    if (!is_full()) return slot;
    if (can_grow()) {
        grow();
        return find(key, hash);
    }
    most_lines_ = kMostLinesFull;
    if (slot->key.is_empty()) return slot;
    // Into the first line, where it is found soonest.
    return line(hash) + num_evictions_ % kPerLine;
}

template <size_t kWords>
void PieceTable<kWords>::store(Entry* slot, const Key& key, uint64_t hash,
                               std::span<const uint32_t> ids) {
    const bool fits = ids.size() <= kInline;
    slot = make_room(slot, key, hash, fits ? 0 : ids.size());
    ++(slot->key.is_empty() ? size_ : num_evictions_);
    slot->key = key;
    slot->ids = {};
    if (fits) {
        std::copy(ids.begin(), ids.end(), slot->ids.begin());
    } else {
        slot->ids[0] = static_cast<uint32_t>(overflow_.size() - padding());
        slot->ids[1] = static_cast<uint32_t>(ids.size());
        LH_CHECK(ids.size() <= kCopied, "{} ids", ids.size());
        // copy_ids() reads kCopied.
        const size_t size = overflow_.size() - padding() + ids.size() + kCopied;
        if (size > overflow_.capacity()) {
            overflow_.reserve(std::min(max_overflow_, std::max<size_t>(1024, size * 2)));
        }
        overflow_.resize(size);
        std::copy(ids.begin(), ids.end(), overflow_.begin() + slot->ids[0]);
    }
    slot->ids[kInline - 1] |= (fits ? static_cast<uint32_t>(ids.size()) : kElsewhere) << 24;
}

TextTable::TextTable(size_t max_bytes) : entries_(64), max_bytes_(max_bytes) {}

size_t TextTable::slot_of(std::string_view piece, uint64_t hash) const {
    for (size_t slot = hash & (entries_.size() - 1);; slot = (slot + 1) & (entries_.size() - 1)) {
        const Entry& entry = entries_[slot];
        if (entry.length == 0) return slot;
        if (entry.hash == hash && entry.length == piece.size() &&
            std::equal(piece.begin(), piece.end(), bytes_.data() + entry.text)) {
            return slot;
        }
    }
}

std::optional<std::span<const uint32_t>> TextTable::find(std::string_view piece,
                                                         uint64_t hash) const {
    const Entry& entry = entries_[slot_of(piece, hash)];
    if (entry.length == 0) return std::nullopt;
    return std::span(ids_).subspan(entry.first, entry.count);
}

void TextTable::store(std::string_view piece, uint64_t hash, std::span<const uint32_t> ids) {
    const size_t bytes = entries_.size() * sizeof(Entry) + bytes_.size() + ids_.size() * 4;
    if (bytes + piece.size() + ids.size() * 4 > max_bytes_ / 2) {  // vectors double
        entries_.assign(64, {});
        bytes_.clear();
        ids_.clear();
        size_ = 0;
    } else if (size_ * 2 >= entries_.size()) {
        const std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(2 * size_ * 2));
        for (const Entry& entry : old) {
            if (entry.length == 0) continue;
            entries_[slot_of({bytes_.data() + entry.text, entry.length}, entry.hash)] = entry;
        }
    }
    Entry& entry = entries_[slot_of(piece, hash)];
    entry = {hash, static_cast<uint32_t>(bytes_.size()), static_cast<uint32_t>(piece.size()),
             static_cast<uint32_t>(ids_.size()), static_cast<uint32_t>(ids.size())};
    bytes_.insert(bytes_.end(), piece.begin(), piece.end());
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    ++size_;
}

template class PieceTable<2>;
template class PieceTable<4>;

}  // namespace longhaul::token
