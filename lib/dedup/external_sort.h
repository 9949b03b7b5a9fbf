// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sorts any number of small fixed-size records within a memory budget: sorted runs are spilled and
// merged. The order is total (operator<), so the result depends neither on the order of add() nor
// on threads.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <queue>
#include <span>
#include <type_traits>
#include <vector>

#include "lib/base/check.h"
#include "lib/dedup/in_threads.h"
#include "lib/dedup/spill.h"

namespace longhaul::dedup {

/// Fill with add(), call finish() once, then take the records in order with next().
/// Not thread-safe. Record: trivially copyable, operator<.
template <class Record>
class ExternalSorter {
    static_assert(std::is_trivially_copyable_v<Record>);

 public:
    /// @param memory_bytes for records and, later, for merge buffers; at least one record.
    /// @param threads that sort
    ExternalSorter(SpillArea& area, size_t memory_bytes, int threads = 1)
        : area_(&area),
          capacity_(std::max<size_t>(memory_bytes / sizeof(Record), 64)),
          threads_(threads) {}

    void add(const Record& record) {
        if (records_.size() == capacity_) spill();
        if (records_.size() == records_.capacity()) {
            // Doubling: old and new pages in use are never more than the budget.
            records_.reserve(std::min(capacity_, std::max<size_t>(2 * records_.size(), 1024)));
        }
        records_.push_back(record);
        ++count_;
    }
    uint64_t count() const { return count_; }
    bool has_spilled() const { return !runs_.empty(); }

    void finish() {
        sort_in_threads(std::span(records_), threads_);
        if (runs_.empty()) return;
        spill();
        std::vector<Record>().swap(records_);
        while (runs_.size() > kMaxFanIn) merge_some();
        open_merge(runs_, capacity_);
    }
    /// @return false when all records have been given.
    bool next(Record& record) {
        if (runs_.empty()) {
            if (position_ == records_.size()) return false;
            record = records_[position_++];
            return true;
        }
        return pop(record);
    }

 private:
    static constexpr size_t kMaxFanIn = 256;

    struct Run {
        std::unique_ptr<SpillFile> file;
        uint64_t count = 0;
    };
    /// A buffered reader of one run.
    struct Source {
        const Run* run = nullptr;
        std::vector<Record> buffer;
        size_t at = 0;
        uint64_t taken = 0;  // records read from the run
    };
    struct Head {
        Record record;
        size_t source;
        bool operator<(const Head& other) const { return other.record < record; }  // least on top
    };

    void spill() {
        sort_in_threads(std::span(records_), threads_);
        runs_.push_back({std::make_unique<SpillFile>(*area_), records_.size()});
        runs_.back().file->append(std::as_bytes(std::span(records_)));
        records_.clear();
    }

    void open_merge(const std::vector<Run>& runs, size_t capacity) {
        sources_.clear();
        heads_ = {};
        const size_t buffer = std::max<size_t>(capacity / runs.size(), 16);
        for (const Run& run : runs) {
            sources_.push_back({&run, std::vector<Record>(), 0, 0});
            sources_.back().buffer.reserve(buffer);
            advance(sources_.size() - 1);
        }
    }
    void advance(size_t index) {
        Source& source = sources_[index];
        if (source.at == source.buffer.size()) {
            const uint64_t left = source.run->count - source.taken;
            if (left == 0) return;
            const size_t n = std::min<uint64_t>(left, source.buffer.capacity());
            source.buffer.resize(n);
            source.run->file->read(std::as_writable_bytes(std::span(source.buffer)),
                                   source.taken * sizeof(Record));
            source.taken += n;
            source.at = 0;
        }
        heads_.push({source.buffer[source.at++], index});
    }
    bool pop(Record& record) {
        if (heads_.empty()) return false;
        record = heads_.top().record;
        const size_t index = heads_.top().source;
        heads_.pop();
        advance(index);
        return true;
    }

    /// Merges the first kMaxFanIn runs into one, so that merge buffers keep a useful size.
    void merge_some() {
        std::vector<Run> batch(std::make_move_iterator(runs_.begin()),
                               std::make_move_iterator(runs_.begin() + kMaxFanIn));
        runs_.erase(runs_.begin(), runs_.begin() + kMaxFanIn);
        open_merge(batch, capacity_ / 2);
        Run merged{std::make_unique<SpillFile>(*area_), 0};
        std::vector<Record> buffer;
        const size_t limit = std::max<size_t>(capacity_ / 2, 64);
        buffer.reserve(limit);
        const auto flush = [&] {
            merged.file->append(std::as_bytes(std::span(buffer)));
            merged.count += buffer.size();
            buffer.clear();
        };
        for (Record record; pop(record);) {
            buffer.push_back(record);
            if (buffer.size() == limit) flush();
        }
        flush();
        runs_.push_back(std::move(merged));
    }

    SpillArea* area_;
    size_t capacity_;
    int threads_;
    uint64_t count_ = 0;
    std::vector<Record> records_;
    size_t position_ = 0;
    std::vector<Run> runs_;
    std::vector<Source> sources_;
    std::priority_queue<Head> heads_;
};

}  // namespace longhaul::dedup
