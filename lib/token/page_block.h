// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Zeroed memory in whole pages; large blocks in huge pages where the system has them, since a hash
// table touches its pages at random.

#include <cstddef>
#include <utility>

namespace longhaul::token {

class PageBlock {
 public:
    /// @throws std::bad_alloc
    explicit PageBlock(size_t size);
    PageBlock(PageBlock&& other) noexcept { swap(other); }
    PageBlock& operator=(PageBlock&& other) noexcept {
        swap(other);
        return *this;
    }
    ~PageBlock();

    void* data() { return data_; }
    const void* data() const { return data_; }
    size_t size() const { return size_; }

 private:
    void swap(PageBlock& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(mapped_, other.mapped_);
        std::swap(mapped_size_, other.mapped_size_);
    }
    void* data_ = nullptr;
    size_t size_ = 0;
    void* mapped_ = nullptr;  // with what aligns data_
    size_t mapped_size_ = 0;
};

}  // namespace longhaul::token
