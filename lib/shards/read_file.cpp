// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/read_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <cstring>
#include <utility>

#include "lib/shards/try_mapped.h"

namespace longhaul::shards {

namespace {

// Linux allows a process 65530 mappings (vm.max_map_count), which the allocator needs too.
constexpr int kMostMappings = 16384;
std::atomic<int> num_mappings{0};

}  // namespace

ReadFile::ReadFile(io::UniqueFd fd, std::string name)
    : fd_(std::move(fd)), name_(std::move(name)) {}

ReadFile::ReadFile(ReadFile&& other) noexcept
    : fd_(std::move(other.fd_)),
      name_(std::move(other.name_)),
      mapped_(std::exchange(other.mapped_, nullptr)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)) {}

ReadFile& ReadFile::operator=(ReadFile&& other) noexcept {
    unmap();
    fd_ = std::move(other.fd_);
    name_ = std::move(other.name_);
    mapped_ = std::exchange(other.mapped_, nullptr);
    mapped_bytes_ = std::exchange(other.mapped_bytes_, 0);
    return *this;
}

ReadFile::~ReadFile() {
    unmap();
}

void ReadFile::unmap() noexcept {
    if (mapped_bytes_ == 0) return;
    ::munmap(const_cast<std::byte*>(mapped_), mapped_bytes_);
    mapped_bytes_ = 0;
    --num_mappings;
}

void ReadFile::map() {
    struct stat status {};
    const bool is_known = fd_.get() >= 0 && ::fstat(fd_.get(), &status) == 0;
    if (mapped_bytes_ > 0 || !is_known || status.st_size <= 0) return;
    if (++num_mappings > kMostMappings) {
        --num_mappings;
        return;
    }
    const auto bytes = static_cast<size_t>(status.st_size);
    void* const begin = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd_.get(), 0);
    if (begin == MAP_FAILED) {
        --num_mappings;
        return;
    }
    // Else a fault reads 128 KiB around a page that stands for a document of some hundred bytes.
    ::madvise(begin, bytes, MADV_RANDOM);
    mapped_ = static_cast<const std::byte*>(begin);
    mapped_bytes_ = bytes;
}

void ReadFile::read(uint64_t offset, std::span<std::byte> out) const {
    if (out.empty()) return;  // its place may be null, which memcpy does not allow
    const std::byte* const from = out.size() <= kMostMapped ? mapped(offset, out.size()) : nullptr;
    // What the mapping can not give, pread tells by name.
    if (from != nullptr && try_mapped([&] { std::memcpy(out.data(), from, out.size()); })) return;
    io::pread_exact(fd_.get(), out, offset, name_);
}

void ReadFile::will_need(uint64_t offset, uint64_t bytes) const {
    ::posix_fadvise(fd_.get(), static_cast<off_t>(offset), static_cast<off_t>(bytes),
                    POSIX_FADV_WILLNEED);
}

}  // namespace longhaul::shards
