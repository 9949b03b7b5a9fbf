// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/block_reader.h"

#include <algorithm>
#include <cstring>

namespace longhaul::tokenize {

namespace {
/// Large enough that handing blocks over costs nothing, small enough for the second-level cache.
constexpr size_t kBlockBytes = 512 << 10;
constexpr size_t kKeptBytes = 4 * kBlockBytes;  // memory of a giant line's block is given back
constexpr size_t kShownBytes = 64;              // of a line that is too long: enough to name it
}  // namespace

void Block::reserve(size_t bytes) {
    if (bytes <= capacity_) return;
    auto larger = std::make_unique_for_overwrite<char[]>(bytes);
    if (size_ > 0) std::memcpy(larger.get(), bytes_.get(), size_);
    bytes_ = std::move(larger);
    capacity_ = bytes;
}

bool BlockReader::next(Block& block) {
    if (has_ended_) return false;
    if (block.capacity_ > kKeptBytes) block = Block{};
    block.size_ = 0;
    block.is_too_long = block.ends_stream = false;
    block.offset = offset_;
    block.reserve(std::max(kBlockBytes, rest_.size()));
    return has_lines_ ? next_lines(block) : next_document(block);
}

/// Keeps bytes [0, end) of the block; what is behind waits for the next one.
void BlockReader::cut(Block& block, size_t end) {
    rest_.assign(block.bytes_.get() + end, block.size_ - end);
    block.size_ = end;
    offset_ += end;
}

bool BlockReader::next_lines(Block& block) {
    if (!rest_.empty()) std::memcpy(block.bytes_.get(), rest_.data(), rest_.size());
    block.size_ = rest_.size();
    size_t searched = 0;
    while (true) {
        if (block.size_ == block.capacity_) {
            const char* const data = block.bytes_.get();
            const void* const last = ::memrchr(data + searched, '\n', block.size_ - searched);
            if (last != nullptr) {
                cut(block, static_cast<size_t>(static_cast<const char*>(last) - data) + 1);
                return true;
            }
            searched = block.size_;
            if (searched > max_line_bytes_) {
                skip_long_line(block);
                return true;
            }
            block.reserve(2 * block.size_);
        }
        const size_t got = input_.read(block.room());
        block.size_ += got;
        if (got > 0) continue;
        has_ended_ = block.ends_stream = true;
        return block.size_ > 0;
    }
}

/// The block is the begin of a line that has passed the limit: keeps a little of it and drops the
/// rest, up to the newline.
void BlockReader::skip_long_line(Block& block) {
    offset_ += block.size_;
    block.size_ = std::min(block.size_, kShownBytes);
    block.is_too_long = true;
    rest_.clear();
    std::string part(kBlockBytes, '\0');
    while (const size_t got = input_.read(std::as_writable_bytes(std::span(part)))) {
        const size_t newline = std::string_view(part).substr(0, got).find('\n');
        if (newline != std::string_view::npos) {
            rest_.assign(part, newline + 1, got - newline - 1);
            offset_ += newline + 1;
            return;
        }
        offset_ += got;
    }
    has_ended_ = block.ends_stream = true;
}

bool BlockReader::next_document(Block& block) {
    has_ended_ = block.ends_stream = true;
    while (true) {
        if (block.size_ == block.capacity_) block.reserve(2 * block.size_);
        const size_t got = input_.read(block.room());
        if (got == 0) break;
        block.size_ += got;
        if (block.size_ <= max_line_bytes_) continue;
        block.is_too_long = true;
        block.size_ = 0;  // what is read further streams past, so that the hash is complete
    }
    if (block.is_too_long) block.size_ = 0;
    return true;
}

}  // namespace longhaul::tokenize
