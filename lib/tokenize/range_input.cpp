// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/range_input.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "lib/base/error.h"

namespace longhaul::tokenize {

namespace {

/// One pread, restarted on EINTR. @return 0 at the end of the file.
size_t pread_some(int fd, std::span<std::byte> buffer, uint64_t offset, const std::string& name) {
    for (;;) {
        const ssize_t got = ::pread(fd, buffer.data(), buffer.size(), static_cast<off_t>(offset));
        if (got >= 0) return static_cast<size_t>(got);
        if (errno != EINTR) throw IoError("cannot read " + name);
    }
}

/// Index of the first newline, or bytes.size().
size_t find_newline(std::span<const std::byte> bytes) {
    const void* found = bytes.empty() ? nullptr : std::memchr(bytes.data(), '\n', bytes.size());
    if (found == nullptr) return bytes.size();
    return static_cast<size_t>(static_cast<const std::byte*>(found) - bytes.data());
}

}  // namespace

RangeInput::RangeInput(const std::string& path, uint64_t begin, uint64_t end)
    : path_(path),
      name_(begin == 0 ? path : format("{}[from byte {}]", path, begin)),
      fd_(io::open_file(path, O_RDONLY)),
      end_(end) {
    find_first_line(begin);
}

void RangeInput::find_first_line(uint64_t begin) {
    if (begin > 0) {
        std::vector<std::byte> block(1 << 16);
        for (at_ = begin - 1;;) {
            const size_t got = pread_some(fd_.get(), block, at_, path_);
            const size_t newline = find_newline(std::span(block).first(got));
            at_ += std::min(newline + 1, got);
            if (got == 0 || newline < got) break;
        }
    }
    first_ = at_;
    is_done_ = first_ >= end_;
}

size_t RangeInput::read(std::span<std::byte> buffer) {
    if (is_done_) return 0;
    const size_t got = pread_some(fd_.get(), buffer, at_, path_);
    size_t keep = got;
    if (at_ + got >= end_) {
        // The newline that ends the last line begun before end_ is at end_ - 1 or later.
        const size_t from = end_ - 1 > at_ ? static_cast<size_t>(end_ - 1 - at_) : 0;
        const size_t newline = from + find_newline(buffer.first(got).subspan(from));
        is_done_ = newline < got;
        keep = std::min(newline + 1, got);
    }
    if (got == 0) is_done_ = true;
    hasher_.update(std::span<const std::byte>(buffer.first(keep)));
    at_ += keep;
    return keep;
}

}  // namespace longhaul::tokenize
