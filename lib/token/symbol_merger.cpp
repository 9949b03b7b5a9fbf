// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/symbol_merger.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace longhaul::token {

namespace {

constexpr uint32_t kEnd = ~uint32_t{0};
constexpr size_t kMaxScanSymbols = 64;

/// A symbol under merging, in a doubly linked list over an array.
struct Symbol {
    uint32_t id;              // kNoToken: merged into the one before
    uint32_t previous, next;  // kEnd: none
};

/// Positions of the pairs of one rank, the smallest first. Nearly all come in ascending order
/// before the first one is asked for.
class Bucket {
 public:
    void add(uint32_t position) {
        if (!is_open_) {
            is_sorted_ = is_sorted_ && (run_.empty() || run_.back() <= position);
            run_.push_back(position);
        } else {
            late_.push(position);
        }
    }
    bool is_empty() const { return taken_ == run_.size() && late_.empty(); }
    uint32_t take() {
        if (!is_open_ && !is_sorted_) std::sort(run_.begin(), run_.end());
        is_open_ = true;
        if (!late_.empty() && (taken_ == run_.size() || late_.top() < run_[taken_])) {
            const uint32_t position = late_.top();
            late_.pop();
            return position;
        }
        return run_[taken_++];
    }

 private:
    std::vector<uint32_t> run_;
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> late_;
    size_t taken_ = 0;
    bool is_open_ = false, is_sorted_ = true;
};

/// A heap of ranks, a bucket of positions for each: one character repeated ten million times has
/// few ranks, and its positions are read in order.
class Candidates {
 public:
    void add(uint32_t rank, uint32_t position) {
        const auto [found, is_new] = buckets_.try_emplace(rank);
        if (is_new) ranks_.push(rank);
        found->second.add(position);
    }
    bool is_empty() const { return ranks_.empty(); }
    /// Removes and gives the lowest rank's smallest position.
    std::pair<uint32_t, uint32_t> take() {
        const uint32_t rank = ranks_.top();
        const auto found = buckets_.find(rank);
        const uint32_t position = found->second.take();
        if (found->second.is_empty()) {
            buckets_.erase(found);
            ranks_.pop();
        }
        return {rank, position};
    }

 private:
    std::unordered_map<uint32_t, Bucket> buckets_;
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ranks_;
};

class HeapMerger {
 public:
    HeapMerger(const MergeTable& merges, SplitLog* log) : merges_(merges), log_(log) {}

    void run(std::vector<uint32_t>& ids) {
        fill(ids);
        while (!candidates_.is_empty()) {
            const auto [rank, position] = candidates_.take();
            apply(rank, position);
        }
        ids.clear();
        for (uint32_t i = 0; i != kEnd; i = symbols_[i].next) ids.push_back(symbols_[i].id);
    }

 private:
    void fill(const std::vector<uint32_t>& ids) {
        const auto last = static_cast<uint32_t>(ids.size() - 1);
        symbols_.resize(ids.size());
        for (uint32_t i = 0; i <= last; ++i) {
            symbols_[i] = {ids[i], i == 0 ? kEnd : i - 1, i == last ? kEnd : i + 1};
        }
        for (uint32_t i = 0; i < last; ++i) offer(i);
    }

    void offer(uint32_t left) {
        const uint32_t right = left == kEnd ? kEnd : symbols_[left].next;
        if (right == kEnd) return;
        const Merge merge = merges_.find(symbols_[left].id, symbols_[right].id);
        if (merge.rank == kNoToken) return;
        if (log_ != nullptr) log_->note(symbols_[left].id, symbols_[right].id, merge.id);
        candidates_.add(merge.rank, left);
    }

    void apply(uint32_t rank, uint32_t position) {
        Symbol& left = symbols_[position];
        if (left.id == kNoToken || left.next == kEnd) return;
        Symbol& right = symbols_[left.next];
        const Merge now = merges_.find(left.id, right.id);
        if (now.rank != rank) return;  // another pair stands here by now
        left.id = now.id;
        right.id = kNoToken;
        left.next = right.next;
        if (right.next != kEnd) symbols_[right.next].previous = position;
        offer(left.previous);
        offer(position);
    }

    const MergeTable& merges_;
    SplitLog* log_;
    std::vector<Symbol> symbols_;
    Candidates candidates_;
};

}  // namespace

void SplitLog::expand(uint32_t symbol, std::vector<uint32_t>& out) const {
    const auto split = is_logged(symbol) ? splits_.find(symbol) : splits_.end();
    if (split == splits_.end()) {
        out.push_back(symbol);
        return;
    }
    expand(split->second.first, out);
    expand(split->second.second, out);
}

void merge_by_heap(const MergeTable& merges, std::vector<uint32_t>& symbols, SplitLog* log) {
    if (symbols.size() > 1) HeapMerger(merges, log).run(symbols);
}

void merge_by_scan(const MergeTable& merges, std::vector<uint32_t>& symbols, SplitLog* log) {
    thread_local std::vector<Merge> pairs;  // pairs[i]: symbols i and i + 1
    size_t count = symbols.size();
    if (count < 2) return;
    const auto look_up = [&](size_t left) {
        pairs[left] = merges.find(symbols[left], symbols[left + 1]);
        if (log != nullptr && pairs[left].rank != kNoToken) {
            log->note(symbols[left], symbols[left + 1], pairs[left].id);
        }
    };
    pairs.resize(count - 1);
    for (size_t i = 0; i + 1 < count; ++i) look_up(i);
    while (count > 1) {
        size_t best = 0;
        for (size_t i = 1; i + 1 < count; ++i) {
            if (pairs[i].rank < pairs[best].rank) best = i;
        }
        if (pairs[best].rank == kNoToken) break;
        symbols[best] = pairs[best].id;
        for (size_t i = best + 1; i + 1 < count; ++i) symbols[i] = symbols[i + 1];
        for (size_t i = best + 1; i + 2 < count; ++i) pairs[i] = pairs[i + 1];
        --count;
        if (best > 0) look_up(best - 1);
        if (best + 1 < count) look_up(best);
    }
    symbols.resize(count);
}

void merge_symbols(const MergeTable& merges, std::vector<uint32_t>& symbols, SplitLog* log) {
    if (symbols.size() <= kMaxScanSymbols) {
        merge_by_scan(merges, symbols, log);
    } else {
        merge_by_heap(merges, symbols, log);
    }
}

}  // namespace longhaul::token
