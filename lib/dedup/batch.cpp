// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/batch.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace longhaul::dedup {

namespace {
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr size_t kShownBytes = 80;  // kept of a line that is too long
constexpr size_t kTypicalLine = 2 << 10;
}  // namespace

std::string_view Batch::raw(size_t line) const {
    const BatchLine& at = lines[line];
    return std::string_view(bytes).substr(at.begin, at.length + (at.has_newline ? 1 : 0));
}

std::string_view Batch::content(size_t line) const {
    const BatchLine& at = lines[line];
    return std::string_view(bytes).substr(at.begin + at.mark_bytes, at.length - at.mark_bytes);
}

BatchSource::BatchSource(std::unique_ptr<io::InputStream> stream, size_t input,
                         corpus::Layout layout, BatchLimits limits)
    : stream_(std::move(stream)), input_(input), layout_(layout), limits_(limits) {}

size_t BatchSource::read_some(Bytes& bytes) {
    const size_t n = stream_->read(bytes.room());
    bytes.set_size(bytes.size() + n);
    return n;
}

void BatchSource::end(Batch& batch) {
    has_ended_ = true;
    batch.ends_input = true;
    batch.stored_bytes = stream_->stored_bytes();
    batch.stored_hash = stream_->stored_hash();
}

/// Finds the lines of bytes[0, end); what is behind waits for the next batch.
void BatchSource::split(Batch& batch, size_t end) {
    const char* const data = batch.bytes.data();
    waiting_.assign(std::string_view(batch.bytes).substr(end));
    batch.bytes.set_size(end);
    batch.lines.reserve(end / kTypicalLine + 1);
    for (size_t begin = 0; begin < end;) {
        const void* const newline = std::memchr(data + begin, '\n', end - begin);
        BatchLine line;
        line.begin = begin;
        line.has_newline = newline != nullptr;
        line.length = line.has_newline
                          ? static_cast<size_t>(static_cast<const char*>(newline) - data) - begin
                          : end - begin;
        line.offset = offset_ + begin;
        line.is_too_long = line.length > limits_.max_line_bytes;
        begin += line.length + 1;
        batch.lines.push_back(line);
    }
    if (row_ == 0 && std::string_view(batch.bytes).starts_with(kByteOrderMark)) {
        batch.lines.front().mark_bytes = static_cast<uint8_t>(kByteOrderMark.size());
    }
    row_ += batch.lines.size();
    offset_ += end;
}

/// The batch is the begin of a line that has passed the limit: keeps a little of it and drops the
/// rest, up to the newline.
void BatchSource::skip_long_line(Batch& batch) {
    BatchLine line;
    line.length = kShownBytes;
    line.offset = offset_;
    line.is_too_long = true;
    offset_ += batch.bytes.size();
    waiting_.set_size(0);
    waiting_.reserve(limits_.batch_bytes);
    while (true) {
        waiting_.set_size(0);
        if (read_some(waiting_) == 0) {
            line.has_newline = false;
            end(batch);
            break;
        }
        const std::string_view text = waiting_;
        const size_t newline = text.find('\n');
        if (newline != std::string_view::npos) {
            offset_ += newline + 1;
            waiting_.assign(std::string(text.substr(newline + 1)));
            break;
        }
        offset_ += text.size();
    }
    batch.bytes.set_size(kShownBytes + (line.has_newline ? 1 : 0));
    if (line.has_newline) batch.bytes.data()[kShownBytes] = '\n';
    batch.lines.push_back(line);
    ++row_;
}

ReadResult BatchSource::read_lines(Batch& batch, bool may_grow) {
    // After a suspension this is the batch as it was; else the begin of a line.
    if (waiting_.capacity() >= limits_.batch_bytes) {
        batch.bytes = std::move(waiting_);
    } else {
        batch.bytes.reserve(limits_.batch_bytes);
        const size_t size = waiting_.size();
        if (size > 0)
            std::memcpy(batch.bytes.data(), waiting_.data(), size);  // else it may be null
        batch.bytes.set_size(size);
    }
    waiting_ = Bytes();
    size_t searched = 0;
    while (true) {
        if (batch.bytes.size() == batch.bytes.capacity()) {
            const char* const data = batch.bytes.data();
            const void* const last =
                ::memrchr(data + searched, '\n', batch.bytes.size() - searched);
            if (last != nullptr) {
                split(batch, static_cast<size_t>(static_cast<const char*>(last) - data) + 1);
                return ReadResult::kItem;
            }
            searched = batch.bytes.size();
            if (searched > std::max<size_t>(limits_.max_line_bytes, kShownBytes)) {
                skip_long_line(batch);
                return ReadResult::kItem;
            }
            if (!may_grow) {
                waiting_ = std::move(batch.bytes);
                return ReadResult::kSuspended;
            }
            batch.bytes.reserve(2 * searched);
        }
        if (read_some(batch.bytes) == 0) {
            split(batch, batch.bytes.size());
            end(batch);
            return ReadResult::kItem;
        }
    }
}

/// A whole input as one document.
ReadResult BatchSource::read_file(Batch& batch, bool may_grow) {
    batch.bytes = std::move(waiting_);
    batch.bytes.reserve(limits_.batch_bytes);
    while (true) {
        if (batch.bytes.size() > limits_.max_line_bytes) {
            is_too_long_ = true;
            batch.bytes.set_size(0);  // the rest streams past, so that the hash is complete
        }
        if (batch.bytes.size() == batch.bytes.capacity()) {
            if (!may_grow) {
                waiting_ = std::move(batch.bytes);
                return ReadResult::kSuspended;
            }
            batch.bytes.reserve(2 * batch.bytes.size());
        }
        if (read_some(batch.bytes) == 0) break;
    }
    BatchLine line;
    line.has_newline = false;
    line.is_too_long = is_too_long_;
    if (is_too_long_) batch.bytes.set_size(0);
    line.length = batch.bytes.size();
    if (std::string_view(batch.bytes).starts_with(kByteOrderMark)) {
        line.mark_bytes = static_cast<uint8_t>(kByteOrderMark.size());
    }
    batch.lines.push_back(line);
    end(batch);
    return ReadResult::kItem;
}

ReadResult BatchSource::next(Batch& batch, bool may_grow) {
    if (has_ended_) return ReadResult::kEnd;
    batch = Batch{};
    batch.input = input_;
    batch.first_row = row_;
    return layout_ == corpus::Layout::kTextFile ? read_file(batch, may_grow)
                                                : read_lines(batch, may_grow);
}

BatchReader::BatchReader(Open open, std::vector<corpus::Layout> layouts, uint64_t max_line_bytes,
                         uint64_t batch_bytes, std::function<void(uint64_t)> on_bytes)
    : open_(std::move(open)),
      layouts_(std::move(layouts)),
      limits_{max_line_bytes, batch_bytes},
      on_bytes_(std::move(on_bytes)),
      sources_(layouts_.size()),
      has_ended_(layouts_.size()),
      reported_bytes_(layouts_.size()) {}

ReadResult BatchReader::next(size_t input, Batch& batch, bool may_grow) {
    if (has_ended_[input] != 0) return ReadResult::kEnd;
    std::unique_ptr<BatchSource>& source = sources_[input];
    if (!source) {
        source = std::make_unique<BatchSource>(open_(input), input, layouts_[input], limits_);
    }
    const ReadResult result = source->next(batch, may_grow);
    const uint64_t read_bytes = source->stored_bytes();
    on_bytes_(read_bytes - reported_bytes_[input]);
    reported_bytes_[input] = read_bytes;
    if (batch.ends_input) {
        has_ended_[input] = 1;
        source.reset();
    }
    return result;
}

}  // namespace longhaul::dedup
