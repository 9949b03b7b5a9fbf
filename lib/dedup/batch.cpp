// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/batch.h"

#include <span>
#include <utility>

namespace longhaul::dedup {

namespace {
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
}  // namespace

std::string_view Batch::raw(size_t line) const {
    const BatchLine& at = lines[line];
    return std::string_view(bytes).substr(at.begin, at.length + (at.has_newline ? 1 : 0));
}

std::string_view Batch::content(size_t line) const {
    const BatchLine& at = lines[line];
    return std::string_view(bytes).substr(at.begin + at.mark_bytes, at.length - at.mark_bytes);
}

BatchReader::BatchReader(Open open, std::vector<corpus::Layout> layouts, uint64_t max_line_bytes,
                         uint64_t batch_bytes, std::function<void(uint64_t)> on_bytes)
    : open_(std::move(open)),
      layouts_(std::move(layouts)),
      max_line_bytes_(max_line_bytes),
      batch_bytes_(batch_bytes),
      on_bytes_(std::move(on_bytes)) {}

void BatchReader::open() {
    stream_ = open_(input_);
    row_ = 0;
    reported_bytes_ = 0;
    if (layouts_[input_] == corpus::Layout::kTextFile) return;
    lines_ = std::make_unique<io::LineReader>(*stream_, max_line_bytes_);
}

void BatchReader::read_lines(Batch& batch) {
    io::Line line;
    while (batch.bytes.size() < batch_bytes_) {
        if (!lines_->next(line)) {
            close(batch);
            return;
        }
        BatchLine entry;
        entry.begin = batch.bytes.size();
        entry.length = line.text.size();
        entry.offset = line.offset;
        entry.has_newline = line.has_newline;
        entry.is_too_long = line.is_too_long;
        if (line.number == 1 && line.text.starts_with(kByteOrderMark)) {
            entry.mark_bytes = static_cast<uint8_t>(kByteOrderMark.size());
        }
        batch.bytes.append(line.text);
        if (line.has_newline) batch.bytes += '\n';
        batch.lines.push_back(entry);
        ++row_;
        ++id_;
    }
}

/// A whole input as one document.
void BatchReader::read_file(Batch& batch) {
    constexpr size_t kChunk = 1 << 18;
    BatchLine entry;
    entry.has_newline = false;
    size_t size = 0;
    while (true) {
        batch.bytes.resize(size + kChunk);
        const auto room = std::as_writable_bytes(std::span(batch.bytes)).subspan(size);
        const size_t n = stream_->read(room);
        if (n == 0) break;
        size += n;
        if (size > max_line_bytes_) {
            entry.is_too_long = true;
            size = 0;  // the rest streams past, so that the hash is complete
        }
    }
    batch.bytes.resize(size);
    entry.length = size;
    if (std::string_view(batch.bytes).starts_with(kByteOrderMark)) {
        entry.mark_bytes = static_cast<uint8_t>(kByteOrderMark.size());
    }
    batch.lines.push_back(entry);
    ++row_;
    ++id_;
    close(batch);
}

void BatchReader::close(Batch& batch) {
    batch.ends_input = true;
    batch.stored_bytes = stream_->stored_bytes();
    batch.stored_hash = stream_->stored_hash();
    on_bytes_(batch.stored_bytes - reported_bytes_);
    lines_.reset();
    stream_.reset();
    ++input_;
}

bool BatchReader::next(Batch& batch) {
    if (input_ == layouts_.size()) return false;
    if (!stream_) open();
    batch = Batch{};
    batch.input = input_;
    batch.first_row = row_;
    batch.first_id = id_;
    if (layouts_[input_] == corpus::Layout::kTextFile) {
        read_file(batch);
        return true;
    }
    batch.bytes.reserve(batch_bytes_ + batch_bytes_ / 8);
    read_lines(batch);
    if (!batch.ends_input) {
        const uint64_t read_bytes = stream_->stored_bytes();
        on_bytes_(read_bytes - reported_bytes_);
        reported_bytes_ = read_bytes;
    }
    return true;
}

}  // namespace longhaul::dedup
