// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An input in blocks of whole lines. The reading thread only looks for the last line end of a
// block; everything else is done where the block is worked on.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "lib/io/stream.h"

namespace longhaul::tokenize {

/// Whole lines, with their newlines, or one whole document. Its memory is kept from use to use.
class Block {
 public:
    std::string_view text() const { return {bytes_.get(), size_}; }
    uint64_t offset = 0;       // of the first byte in the decompressed stream
    bool is_too_long = false;  // one line above the limit: only its first bytes are here
    bool ends_stream = false;  // nothing comes behind it

 private:
    friend class BlockReader;
    void reserve(size_t bytes);
    std::span<std::byte> room() const {
        return std::as_writable_bytes(std::span(bytes_.get() + size_, capacity_ - size_));
    }

    std::unique_ptr<char[]> bytes_;
    size_t size_ = 0, capacity_ = 0;
};

/// Not thread-safe.
class BlockReader {
 public:
    /// @param has_lines false: the whole input is one document
    /// @param max_line_bytes a longer line or document is passed over: is_too_long
    BlockReader(io::InputStream& input, bool has_lines, uint64_t max_line_bytes)
        : input_(input), has_lines_(has_lines), max_line_bytes_(max_line_bytes) {}

    /// Fills `block`. A line longer than a block makes it larger. @return false at the end
    bool next(Block& block);

 private:
    bool next_lines(Block& block);
    bool next_document(Block& block);
    void cut(Block& block, size_t end);
    void skip_long_line(Block& block);

    io::InputStream& input_;
    bool has_lines_;
    uint64_t max_line_bytes_;
    std::string rest_;     // the begin of a line, read already
    uint64_t offset_ = 0;  // of rest_
    bool has_ended_ = false;
};

}  // namespace longhaul::tokenize
