// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tensor/alloc.h"

#include <cstdlib>
#include <cstring>

#include "lib/base/check.h"
#include "lib/base/units.h"

namespace longhaul::tensor {

namespace {

constexpr size_t index_of(MemoryClass memory_class) {
    return static_cast<size_t>(memory_class);
}

constexpr std::array<std::string_view, kNumMemoryClasses> kNames = {
    "parameter", "gradient", "master", "moment", "activation", "temporary", "comm", "host"};

}  // namespace

std::string_view name_of(MemoryClass memory_class) {
    return kNames[index_of(memory_class)];
}

uint64_t total_bytes(const MemoryUsage& usage) {
    uint64_t total = 0;
    for (const uint64_t bytes : usage) total += bytes;
    return total;
}

Buffer Alloc::get(MemoryClass memory_class, int64_t count, DType dtype, std::string_view what) {
    LH_CHECK(count >= 0, "{}: {} elements asked for", what, count);
    const uint64_t bytes = static_cast<uint64_t>(count) * size_of(dtype);
    const uint64_t padded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    uint64_t& used = used_[index_of(memory_class)];
    void* data = place(memory_class, used, padded, what);
    used += padded;
    return {data, count, dtype};
}

void ArenaAlloc::FreeBlock::operator()(std::byte* block) const noexcept {
    std::free(block);
}

ArenaAlloc::ArenaAlloc(const MemoryUsage& sizes) : sizes_(sizes) {
    for (size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] == 0) continue;
        void* block = std::aligned_alloc(kAlignment, sizes[i]);
        if (block == nullptr) {
            throw Error(
                format("out of memory: {} for class \"{}\"; see --dry-run for the whole plan",
                       human_bytes(sizes[i]), kNames[i]));
        }
        std::memset(block, 0, sizes[i]);
        blocks_[i].reset(static_cast<std::byte*>(block));
    }
}

void* ArenaAlloc::place(MemoryClass memory_class, uint64_t offset, uint64_t size_bytes,
                        std::string_view what) {
    const size_t i = index_of(memory_class);
    LH_CHECK(offset + size_bytes <= sizes_[i],
             "{}: class \"{}\" was counted as {} bytes, but {} are asked for", what, kNames[i],
             sizes_[i], offset + size_bytes);
    return blocks_[i].get() == nullptr ? nullptr : blocks_[i].get() + offset;
}

}  // namespace longhaul::tensor
