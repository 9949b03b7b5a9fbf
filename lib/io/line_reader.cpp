// SPDX-License-Identifier: BSD-3-Clause
#include "lib/io/line_reader.h"

#include <algorithm>
#include <cstring>

namespace longhaul::io {

namespace {
constexpr size_t kReadBytes = 1 << 18;
constexpr size_t kShownBytes = 80;  // of a line that is too long
}  // namespace

LineReader::LineReader(InputStream& input, size_t max_line_bytes)
    : input_(input), max_line_bytes_(max_line_bytes), buffer_(2 * kReadBytes) {}

/// Reads more bytes behind end_, moving or growing the buffer as needed.
bool LineReader::fill() {
    if (at_end_) return false;
    if (begin_ > 0 && buffer_.size() - end_ < kReadBytes) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (buffer_.size() - end_ < kReadBytes) buffer_.resize(buffer_.size() * 2);
    const auto room = std::as_writable_bytes(std::span(buffer_)).subspan(end_);
    const size_t n = input_.read(room);
    end_ += n;
    at_end_ = n == 0;
    return n > 0;
}

/// The line in the buffer has passed the limit: drops its bytes up to the next "\n".
bool LineReader::skip_long_line(Line& line) {
    // Keep the head of the line alive at the front of the buffer while the rest streams past.
    std::memmove(buffer_.data(), buffer_.data() + begin_, kShownBytes);
    offset_ += end_ - begin_;
    begin_ = end_ = kShownBytes;
    line.text = std::string_view(buffer_.data(), kShownBytes);
    line.is_too_long = true;
    while (true) {
        const auto room = std::as_writable_bytes(std::span(buffer_)).subspan(kShownBytes);
        const size_t n = input_.read(room);
        if (n == 0) {
            at_end_ = true;
            line.has_newline = false;
            return true;
        }
        const char* data = buffer_.data() + kShownBytes;
        if (const void* newline = std::memchr(data, '\n', n)) {
            const size_t used = static_cast<size_t>(static_cast<const char*>(newline) - data) + 1;
            begin_ = kShownBytes + used;
            end_ = kShownBytes + n;
            offset_ += used;
            return true;
        }
        offset_ += n;
    }
}

bool LineReader::next(Line& line) {
    size_t searched = 0;
    line = Line{};
    line.number = number_ + 1;
    line.offset = offset_;
    while (true) {
        const char* data = buffer_.data() + begin_;
        const size_t size = end_ - begin_;
        if (const void* newline = std::memchr(data + searched, '\n', size - searched)) {
            const size_t length = static_cast<size_t>(static_cast<const char*>(newline) - data);
            line.text = std::string_view(data, std::min(length, max_line_bytes_));
            line.is_too_long = length > max_line_bytes_;
            begin_ += length + 1;
            offset_ += length + 1;
            break;
        }
        searched = size;
        if (size > std::max(max_line_bytes_, kShownBytes)) {
            skip_long_line(line);
            break;
        }
        if (!fill()) {
            if (size == 0) return false;
            line.text = std::string_view(buffer_.data() + begin_, size);
            line.has_newline = false;
            line.is_too_long = size > max_line_bytes_;
            offset_ += size;
            begin_ = end_;
            break;
        }
    }
    ++number_;
    return true;
}

}  // namespace longhaul::io
