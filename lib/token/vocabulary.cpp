// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/vocabulary.h"

#include <algorithm>
#include <bit>

#include "lib/base/check.h"
#include "lib/base/hash.h"

namespace longhaul::token {

size_t Vocabulary::slot_of(std::string_view bytes) const {
    const size_t mask = slots_.size() - 1;
    size_t slot = xxh3_64(bytes) & mask;
    while (slots_[slot] != kNoToken && this->bytes(slots_[slot]) != bytes) slot = (slot + 1) & mask;
    return slot;
}

void Vocabulary::grow_slots() {
    slots_.assign(std::max<size_t>(1024, slots_.size() * 2), kNoToken);
    for (uint32_t id = 0; id < size(); ++id) {
        if (entries_[id].is_findable) slots_[slot_of(bytes(id))] = id;
    }
}

uint32_t Vocabulary::add(uint32_t id, std::string_view bytes, bool findable) {
    LH_CHECK(id <= kMaxTokenId && !contains(id), "token id {}", id);
    if (findable) {
        if ((num_findable_ + 1) * 2 > slots_.size()) grow_slots();
        const uint32_t there = slots_[slot_of(bytes)];
        if (there != kNoToken) return there;
    }
    if (id >= entries_.size()) entries_.resize(id + 1);
    entries_[id] = {arena_.size(), static_cast<uint32_t>(bytes.size()), true, findable};
    arena_.insert(arena_.end(), bytes.begin(), bytes.end());
    longest_ = std::max(longest_, static_cast<uint32_t>(bytes.size()));
    ++num_used_;
    if (findable) {
        slots_[slot_of(bytes)] = id;
        ++num_findable_;
    }
    return kNoToken;
}

uint32_t Vocabulary::find(std::string_view bytes) const {
    return slots_.empty() ? kNoToken : slots_[slot_of(bytes)];
}

MergeTable::MergeTable(size_t expected) {
    resize(std::bit_ceil(std::max<size_t>(16, expected * 2 + 1)));
}

void MergeTable::resize(size_t num_slots) {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(num_slots));
    mask_ = num_slots - 1;
    size_ = 0;
    for (const Slot& slot : old) {
        if (slot.key != kEmpty) {
            set(static_cast<uint32_t>(slot.key >> 32), static_cast<uint32_t>(slot.key), slot.merge);
        }
    }
}

void MergeTable::set(uint32_t left, uint32_t right, Merge merge) {
    if ((size_ + 1) * 2 > slots_.size()) resize(slots_.size() * 2);
    const uint64_t key = uint64_t{left} << 32 | right;
    size_t slot = hash(key) & mask_;
    while (slots_[slot].key != kEmpty && slots_[slot].key != key) slot = (slot + 1) & mask_;
    if (slots_[slot].key == kEmpty) ++size_;
    slots_[slot] = {key, merge};
}

}  // namespace longhaul::token
