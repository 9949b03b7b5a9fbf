// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Fixed-size records on disk in the order in which they are made.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "lib/dedup/spill.h"

namespace longhaul::dedup {

/// Write with add(), then rewind() and read with next(), any number of times. Not thread-safe.
template <class Record>
class RecordFile {
    static_assert(std::is_trivially_copyable_v<Record>);

 public:
    explicit RecordFile(SpillArea& area) : file_(area) {}

    void add(const Record& record) {
        if (buffer_.size() == kBuffered) flush();
        if (buffer_.capacity() == 0) buffer_.reserve(kBuffered);
        buffer_.push_back(record);
        ++count_;
    }
    uint64_t count() const { return count_; }

    /// Ends the writing, at the first call, and goes to the first record.
    void rewind() {
        if (!is_written_) flush();
        is_written_ = true;
        buffer_.clear();
        at_ = 0;
        taken_ = 0;
    }
    /// @return false when all records have been given.
    bool next(Record& record) {
        if (at_ == buffer_.size()) {
            const uint64_t left = count_ - taken_;
            if (left == 0) return false;
            buffer_.resize(std::min<uint64_t>(left, kBuffered));
            file_.read(std::as_writable_bytes(std::span(buffer_)), taken_ * sizeof(Record));
            taken_ += buffer_.size();
            at_ = 0;
        }
        record = buffer_[at_++];
        return true;
    }

 private:
    static constexpr size_t kBuffered = (size_t{256} << 10) / sizeof(Record);

    void flush() {
        if (!buffer_.empty()) file_.append(std::as_bytes(std::span(buffer_)));
        buffer_.clear();
    }

    SpillFile file_;
    std::vector<Record> buffer_;
    uint64_t count_ = 0;
    bool is_written_ = false;
    size_t at_ = 0;
    uint64_t taken_ = 0;  // records read from the file
};

/// Looks one record ahead. Records: anything with next(Record&).
template <class Record, class Records>
class Lookahead {
 public:
    explicit Lookahead(Records& records) : records_(records) { advance(); }
    /// Null at the end.
    const Record* peek() const { return record_ ? &*record_ : nullptr; }
    void advance() {
        Record record;
        record_ = records_.next(record) ? std::optional<Record>(record) : std::nullopt;
    }

 private:
    Records& records_;
    std::optional<Record> record_;
};

}  // namespace longhaul::dedup
