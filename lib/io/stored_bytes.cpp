// SPDX-License-Identifier: BSD-3-Clause
#include "lib/io/stored_bytes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace longhaul::io {

namespace {
constexpr size_t kBlockBytes = 1 << 18;
}

StoredBytes::StoredBytes(const std::string& path)
    : name_(path == "-" ? "standard input" : path), buffer_(kBlockBytes) {
    if (path != "-") {
        fd_ = open_file(path, O_RDONLY);
        ::posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    refill();
}

size_t StoredBytes::read(std::span<std::byte> out) {
    const size_t got = read_full(fd_ ? fd_.get() : STDIN_FILENO, out, name_);
    hasher_.update(std::span<const std::byte>(out).first(got));
    return got;
}

void StoredBytes::consume(size_t count) {
    begin_ += count;
    consumed_ += count;
}

void StoredBytes::unread(std::span<const std::byte> bytes) {
    std::vector<std::byte> joined(bytes.begin(), bytes.end());
    joined.insert(joined.end(), available().begin(), available().end());
    buffer_ = std::move(joined);
    begin_ = 0;
    end_ = buffer_.size();
    consumed_ -= bytes.size();
}

bool StoredBytes::refill() {
    return begin_ < end_ || extend();
}

bool StoredBytes::extend() {
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    // A large frame's memory is given back behind it.
    if (end_ == 0 && buffer_.size() > 4 * kBlockBytes) {
        buffer_.resize(kBlockBytes);
        buffer_.shrink_to_fit();
    }
    if (end_ + kBlockBytes > buffer_.size()) {
        buffer_.resize(std::max(end_ + kBlockBytes, end_ + end_ / 2));
    }
    const size_t got = read(std::span(buffer_).subspan(end_, kBlockBytes));
    end_ += got;
    return got > 0;
}

size_t StoredBytes::read_through(std::span<std::byte> out) {
    if (begin_ == end_ && out.size() >= kBlockBytes) {
        const size_t got = read(out);
        consumed_ += got;
        return got;
    }
    if (!refill()) return 0;
    const size_t count = std::min(out.size(), end_ - begin_);
    std::memcpy(out.data(), buffer_.data() + begin_, count);
    consume(count);
    return count;
}

}  // namespace longhaul::io
