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
#include "lib/dedup/bytes.h"
#include "lib/dedup/pipeline_schedule.h"
#include "lib/io/stream.h"

namespace longhaul::dedup {

/// A line (or, in Layout::kTextFile, a whole file) inside Batch::bytes.
struct BatchLine {
    uint64_t begin = 0;
    uint64_t length = 0;     // without the newline
    uint64_t offset = 0;     // in the decompressed input
    uint8_t mark_bytes = 0;  // of a byte order mark at its begin
    bool has_newline = true;
    bool is_too_long = false;  // perhaps only its first bytes are here
};

struct Batch {
    size_t input = 0;
    uint64_t first_row = 0;  // row of lines[0] in its input
    uint64_t first_id = 0;   // its id: known when all inputs before are read (see LineNumbers)
    Bytes bytes;             // what was read, cut behind a newline
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

/// Numbers the lines of batches that come in input order.
class LineNumbers {
 public:
    void number(Batch& batch) {
        batch.first_id = next_id_;
        next_id_ += batch.lines.size();
    }

 private:
    uint64_t next_id_ = 0;
};

/// What all inputs have in common.
struct BatchLimits {
    uint64_t max_line_bytes = 0;  // a longer line is passed over: is_too_long
    uint64_t batch_bytes = 0;     // a batch holds so many bytes, or one longer line
};

/// Reads one input. Not thread-safe.
class BatchSource {
 public:
    BatchSource(std::unique_ptr<io::InputStream> stream, size_t input, corpus::Layout layout,
                BatchLimits limits);

    /// The next batch; the last one `ends_input`.
    /// @param may_grow whether a line that is longer than a batch may be read now; if not, such a
    ///        line gives kSuspended, and its begin waits for the next call
    ReadResult next(Batch& batch, bool may_grow);
    uint64_t stored_bytes() const { return stream_->stored_bytes(); }

 private:
    ReadResult read_lines(Batch& batch, bool may_grow);
    ReadResult read_file(Batch& batch, bool may_grow);
    size_t read_some(Bytes& bytes);
    void split(Batch& batch, size_t end);
    void skip_long_line(Batch& batch);
    void end(Batch& batch);

    std::unique_ptr<io::InputStream> stream_;
    size_t input_;
    corpus::Layout layout_;
    BatchLimits limits_;
    Bytes waiting_;  // read already: the begin of a line
    bool is_too_long_ = false;
    bool has_ended_ = false;
    uint64_t row_ = 0;
    uint64_t offset_ = 0;  // of waiting_ in the decompressed input
};

/// Reads all inputs, several at a time if threads ask so. next() may be called by many threads, but
/// for each input by one at a time.
class BatchReader {
 public:
    using Open = std::function<std::unique_ptr<io::InputStream>(size_t input)>;
    /// @param layouts of each input. @param on_bytes told of stored bytes read, by any thread
    BatchReader(Open open, std::vector<corpus::Layout> layouts, uint64_t max_line_bytes,
                uint64_t batch_bytes, std::function<void(uint64_t)> on_bytes);

    size_t num_inputs() const { return layouts_.size(); }
    uint64_t batch_bytes() const { return limits_.batch_bytes; }
    /// See BatchSource::next; kEnd after the batch that `ends_input`.
    ReadResult next(size_t input, Batch& batch, bool may_grow);

 private:
    Open open_;
    std::vector<corpus::Layout> layouts_;
    BatchLimits limits_;
    std::function<void(uint64_t)> on_bytes_;
    std::vector<std::unique_ptr<BatchSource>> sources_;  // those that are being read
    std::vector<char> has_ended_;                        // bytes: written by several threads
    std::vector<uint64_t> reported_bytes_;
};

}  // namespace longhaul::dedup
