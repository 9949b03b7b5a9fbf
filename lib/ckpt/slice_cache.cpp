// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/slice_cache.h"

namespace longhaul::ckpt {

uint64_t SliceCache::bytes_read() const {
    const std::lock_guard lock(mutex_);
    return read_bytes_;
}

SliceCache::Bytes SliceCache::get(uint32_t slice_number) {
    std::unique_lock lock(mutex_);
    while (true) {
        const auto found = entries_.find(slice_number);
        if (found == entries_.end()) return load(slice_number, lock);
        if (found->second.bytes) {
            order_.splice(order_.begin(), order_, found->second.place);
            return found->second.bytes;
        }
        changed_.wait(lock);
    }
}

SliceCache::Bytes SliceCache::load(uint32_t slice_number, std::unique_lock<std::mutex>& lock) {
    const Manifest& manifest = source_.manifest();
    const uint64_t bytes = slice_bytes(manifest, manifest.slices[slice_number]);
    Buffer data = make_room(bytes);
    held_bytes_ += bytes;
    entries_[slice_number] = {};
    lock.unlock();
    std::exception_ptr failure;
    try {
        data->resize(bytes);
        source_.read_stored(slice_number, *data);
    } catch (...) {
        failure = std::current_exception();
    }
    lock.lock();
    read_bytes_ += bytes;
    if (failure) {
        entries_.erase(slice_number);
        held_bytes_ -= bytes;
    } else {
        order_.push_front(slice_number);
        entries_[slice_number] = {data, order_.begin()};
    }
    changed_.notify_all();
    if (failure) std::rethrow_exception(failure);
    return data;
}

SliceCache::Buffer SliceCache::make_room(uint64_t bytes) {
    Buffer spare;
    while (!order_.empty() && held_bytes_ + bytes > capacity_bytes_) {
        const auto oldest = entries_.find(order_.back());
        held_bytes_ -= oldest->second.bytes->size();
        if (oldest->second.bytes.use_count() == 1) spare = std::move(oldest->second.bytes);
        entries_.erase(oldest);
        order_.pop_back();
    }
    return spare ? spare : std::make_shared<std::vector<std::byte>>();
}

}  // namespace longhaul::ckpt
