// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/page_block.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>

namespace longhaul::token {

namespace {
constexpr size_t kHugePage = 2 << 20;
}

PageBlock::PageBlock(size_t size) : size_(size) {
    const bool is_large = size >= kHugePage;
    mapped_size_ = is_large ? size + kHugePage : size;
    mapped_ =
        mmap(nullptr, mapped_size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped_ == MAP_FAILED) throw std::bad_alloc();
    auto address = reinterpret_cast<uintptr_t>(mapped_);
    if (is_large) address = (address + kHugePage - 1) / kHugePage * kHugePage;
    data_ = reinterpret_cast<void*>(address);
    // Before the first touch: pages are not exchanged afterwards. A mere hint, so it may fail.
    if (is_large) static_cast<void>(madvise(data_, size, MADV_HUGEPAGE));
}

PageBlock::~PageBlock() {
    if (mapped_ != nullptr) munmap(mapped_, mapped_size_);
}

}  // namespace longhaul::token
