// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/shingle_store.h"

namespace longhaul::dedup {

void ShingleStore::put(uint64_t id, std::span<const uint64_t> set, uint64_t uses) {
    Entry& entry = entries_[id];
    entry.size = set.size();
    entry.uses = uses;
    used_bytes_ += kEntryBytes;
    if (used_bytes_ + set.size_bytes() <= memory_bytes_) {
        entry.in_memory.assign(set.begin(), set.end());
        used_bytes_ += set.size_bytes();
        return;
    }
    if (!file_) file_ = std::make_unique<SpillFile>(*area_);
    entry.file_offset = file_->append(std::as_bytes(set));
    ++num_in_file_;
}

std::span<const uint64_t> ShingleStore::get(uint64_t id) {
    const Entry& entry = entries_.at(id);
    if (entry.in_memory.size() == entry.size) return entry.in_memory;
    buffer_.resize(entry.size);
    file_->read(std::as_writable_bytes(std::span(buffer_)), entry.file_offset);
    return buffer_;
}

void ShingleStore::release(uint64_t id) {
    const auto found = entries_.find(id);
    if (found == entries_.end() || --found->second.uses > 0) return;
    used_bytes_ -= kEntryBytes;
    if (found->second.in_memory.size() == found->second.size) {
        used_bytes_ -= found->second.in_memory.size() * sizeof(uint64_t);
    } else if (--num_in_file_ == 0) {
        file_->clear();  // the space of single sets can not be given back
    }
    entries_.erase(found);
}

}  // namespace longhaul::dedup
