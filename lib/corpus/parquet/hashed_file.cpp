// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/parquet/hashed_file.h"

#include <fcntl.h>

#include <algorithm>

namespace longhaul::corpus::parquet {

namespace {
constexpr size_t kBlockBytes = 1 << 18;  // stays in the second-level cache
}  // namespace

HashedFile::HashedFile(const std::string& path)
    : path_(path), fd_(io::open_file(path, O_RDONLY)), block_(kBlockBytes) {
    ::posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
}

void HashedFile::set_part(uint64_t begin, uint64_t end) {
    begin_ = at_ = begin;
    end_ = end;
}

void HashedFile::hash_up_to(uint64_t offset) {
    const uint64_t stop = std::min(offset, end_);
    while (at_ < stop) {
        const auto part = std::span(block_).first(std::min<uint64_t>(kBlockBytes, stop - at_));
        io::pread_exact(fd_.get(), part, at_, path_);
        hasher_.update(part);
        at_ += part.size();
    }
}

void HashedFile::read(uint64_t offset, std::span<std::byte> out) {
    hash_up_to(offset);
    io::pread_exact(fd_.get(), out, offset, path_);
}

}  // namespace longhaul::corpus::parquet
