// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Lines of the inputs in batches, the unit of work of a thread. Every line has a number of its own
// over all inputs, its id, whatever the number of threads.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/hash.h"
#include "lib/corpus/document_scanner.h"
#include "lib/io/line_reader.h"
#include "lib/io/stream.h"

namespace longhaul::dedup {

/// A line (or, in Layout::kTextFile, a whole file) inside Batch::bytes.
struct BatchLine {
    uint64_t begin = 0;
    uint64_t length = 0;     // without the newline
    uint64_t offset = 0;     // in the decompressed input
    uint8_t mark_bytes = 0;  // of a byte order mark at its begin
    bool has_newline = true;
    bool is_too_long = false;  // only its first bytes are here
};

struct Batch {
    size_t input = 0;
    uint64_t first_row = 0;  // row of lines[0] in its input
    uint64_t first_id = 0;
    std::string bytes;
    std::vector<BatchLine> lines;
    // Of the last batch of an input:
    bool ends_input = false;
    uint64_t stored_bytes = 0;
    Hash128 stored_hash;

    /// The line as read, with its newline.
    std::string_view raw(size_t line) const;
    /// The line without newline and byte order mark: what a scanner reads.
    std::string_view content(size_t line) const;
};

/// Reads all inputs one after the other. Not thread-safe.
class BatchReader {
 public:
    using Open = std::function<std::unique_ptr<io::InputStream>(size_t input)>;
    /// @param layouts of each input. @param on_bytes told of stored bytes read, for progress.
    BatchReader(Open open, std::vector<corpus::Layout> layouts, uint64_t max_line_bytes,
                uint64_t batch_bytes, std::function<void(uint64_t)> on_bytes);

    /// @return false when all inputs are read; each input ends with a batch that `ends_input`.
    bool next(Batch& batch);

 private:
    void open();
    void read_lines(Batch& batch);
    void read_file(Batch& batch);
    void close(Batch& batch);

    Open open_;
    std::vector<corpus::Layout> layouts_;
    uint64_t max_line_bytes_;
    uint64_t batch_bytes_;
    std::function<void(uint64_t)> on_bytes_;
    size_t input_ = 0;
    uint64_t row_ = 0, id_ = 0;
    uint64_t reported_bytes_ = 0;
    std::unique_ptr<io::InputStream> stream_;
    std::unique_ptr<io::LineReader> lines_;
};

}  // namespace longhaul::dedup
