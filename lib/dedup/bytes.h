// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A buffer that grows without zeroing its memory: batches of lines are filled by reads.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace longhaul::dedup {

class Bytes {
 public:
    Bytes() = default;
    Bytes(Bytes&& other) noexcept { swap(other); }
    Bytes& operator=(Bytes&& other) noexcept {
        Bytes(std::move(other)).swap(*this);
        return *this;
    }

    char* data() { return data_.get(); }
    const char* data() const { return data_.get(); }
    size_t size() const { return size_; }
    size_t capacity() const { return capacity_; }
    bool empty() const { return size_ == 0; }
    operator std::string_view() const { return {data_.get(), size_}; }

    /// Keeps the content.
    void reserve(size_t capacity) {
        if (capacity <= capacity_) return;
        auto grown = std::make_unique_for_overwrite<char[]>(capacity);
        if (size_ > 0) std::memcpy(grown.get(), data_.get(), size_);
        data_ = std::move(grown);
        capacity_ = capacity;
    }
    /// Bytes beyond the old size have no defined value. @param size at most capacity()
    void set_size(size_t size) { size_ = size; }
    void assign(std::string_view bytes) {
        size_ = 0;
        reserve(bytes.size());
        if (!bytes.empty()) std::memcpy(data_.get(), bytes.data(), bytes.size());
        size_ = bytes.size();
    }
    /// What can be written behind the content.
    std::span<std::byte> room() {
        return std::as_writable_bytes(std::span(data_.get() + size_, capacity_ - size_));
    }

 private:
    void swap(Bytes& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

    std::unique_ptr<char[]> data_;
    size_t size_ = 0;
    size_t capacity_ = 0;
};

}  // namespace longhaul::dedup
