// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Fixed-size records kept in the order in which they come: in memory up to a budget, beyond it in a
// temporary file.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "lib/dedup/spill.h"

namespace longhaul::dedup {

/// Write with add(), then read once with next(). Not thread-safe.
template <class Record>
class Spool {
    static_assert(std::is_trivially_copyable_v<Record>);

 public:
    Spool(SpillArea& area, uint64_t memory_bytes)
        : area_(&area), capacity_(std::max<size_t>(memory_bytes / sizeof(Record), 64)) {}

    void add(const Record& record) {
        if (records_.size() == capacity_) flush();
        if (records_.size() == records_.capacity()) {
            // Doubling: old and new pages in use are never more than the budget.
            records_.reserve(std::min(capacity_, std::max<size_t>(2 * records_.size(), 256)));
        }
        records_.push_back(record);
        ++count_;
    }
    uint64_t count() const { return count_; }

    /// @return false when all records have been given
    bool next(Record& record) {
        if (file_ && !is_flushed_) {
            flush();
            is_flushed_ = true;
        }
        if (at_ == records_.size() && !load()) return false;
        record = records_[at_++];
        return true;
    }
    /// Frees memory and file.
    void clear() { *this = Spool(*area_, capacity_ * sizeof(Record)); }

 private:
    void flush() {
        if (records_.empty()) return;
        if (!file_) file_ = std::make_unique<SpillFile>(*area_);
        file_->append(std::as_bytes(std::span(records_)));
        num_in_file_ += records_.size();
        records_.clear();
    }
    bool load() {
        const uint64_t left = num_in_file_ - num_loaded_;
        if (left == 0) return false;
        records_.resize(std::min<uint64_t>(left, capacity_));
        file_->read(std::as_writable_bytes(std::span(records_)), num_loaded_ * sizeof(Record));
        num_loaded_ += records_.size();
        at_ = 0;
        return true;
    }

    SpillArea* area_;
    size_t capacity_;
    uint64_t count_ = 0;
    std::vector<Record> records_;
    size_t at_ = 0;
    std::unique_ptr<SpillFile> file_;
    uint64_t num_in_file_ = 0;
    uint64_t num_loaded_ = 0;
    bool is_flushed_ = false;
};

}  // namespace longhaul::dedup
