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
        const bool is_giant = capacity_ > 2 * kKeptBytes && size <= kKeptBytes;
        if (size > capacity_ || is_giant) {
            bytes_.reset();
            capacity_ = size + size / 4;  // the next page is rarely much larger
            bytes_ = std::make_unique_for_overwrite<std::byte[]>(capacity_);
        }
        return {bytes_.get(), size};
    }

 private:
    std::unique_ptr<std::byte[]> bytes_;
    size_t capacity_ = 0;
};

}  // namespace longhaul::corpus::parquet
