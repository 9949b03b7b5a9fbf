// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Lines of a stream with their number and byte offset, in bounded memory.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lib/io/stream.h"

namespace longhaul::io {

struct Line {
    std::string_view text;     // without its "\n"; a "\r" before it is kept
    uint64_t number = 0;       // from 1
    uint64_t offset = 0;       // byte offset of its first byte in the decompressed stream
    bool is_too_long = false;  // longer than the reader's limit: `text` holds only its first bytes
    bool has_newline = true;   // false for a last line without one
};

/// Splits a stream at "\n". The view in a Line lives until the next call.
class LineReader {
 public:
    /// @param max_line_bytes a longer line is passed over and reported as is_too_long, so that one
    ///        bad line can not take all memory.
    explicit LineReader(InputStream& input, size_t max_line_bytes = 64 << 20);
    /// @return false at the end of the stream.
    bool next(Line& line);

 private:
    bool fill();
    bool skip_long_line(Line& line);

    InputStream& input_;
    size_t max_line_bytes_;
    std::vector<char> buffer_;
    size_t begin_ = 0, end_ = 0;  // unread bytes in buffer_
    uint64_t offset_ = 0;         // stream offset of buffer_[begin_]
    uint64_t number_ = 0;
    bool at_end_ = false;
};

}  // namespace longhaul::io
