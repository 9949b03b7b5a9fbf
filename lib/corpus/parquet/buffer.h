// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Room for a page. What is declared too large and never filled costs no memory: the bytes are not
// touched beforehand.

#include <cstddef>
#include <memory>
#include <span>

namespace longhaul::corpus::parquet {

class Buffer {
 public:
    /// Room for `size` bytes of any content. A giant page's room is given back when a small one
    /// follows.
    std::span<std::byte> resize(size_t size) {
        constexpr size_t kKeptBytes = 16 << 20;
        const bool is_giant = capacity_ > kKeptBytes && size <= kKeptBytes;
        if (size > capacity_ || is_giant) {
            bytes_.reset();
            bytes_ = std::make_unique_for_overwrite<std::byte[]>(size);
            capacity_ = size;
        }
        size_ = size;
        return {bytes_.get(), size_};
    }
    std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }

 private:
    std::unique_ptr<std::byte[]> bytes_;
    size_t size_ = 0, capacity_ = 0;
};

}  // namespace longhaul::corpus::parquet
