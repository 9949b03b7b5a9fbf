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
    uint32_t id;
    uint32_t previous, next;  // kEnd: none
    bool is_gone;
};

struct Candidate {
    uint32_t rank, position, id;
    bool operator>(const Candidate& other) const {
        return rank != other.rank ? rank > other.rank : position > other.position;
    }
};

class HeapMerger {
 public:
    HeapMerger(const MergeTable& merges, SplitLog* log) : merges_(merges), log_(log) {}

    void run(std::vector<uint32_t>& ids) {
        fill(ids);
        while (!heap_.empty()) {
            const Candidate top = heap_.top();
            heap_.pop();
            apply(top);
        }
        ids.clear();
        for (uint32_t i = 0; i != kEnd; i = symbols_[i].next) ids.push_back(symbols_[i].id);
    }

 private:
    void fill(const std::vector<uint32_t>& ids) {
        const auto last = static_cast<uint32_t>(ids.size() - 1);
        symbols_.resize(ids.size());
        std::vector<Candidate> candidates;
        for (uint32_t i = 0; i <= last; ++i) {
            symbols_[i] = {ids[i], i == 0 ? kEnd : i - 1, i == last ? kEnd : i + 1, false};
            if (i == last) break;
            const Merge merge = look_up(ids[i], ids[i + 1]);
            if (merge.rank != kNoToken) candidates.push_back({merge.rank, i, merge.id});
        }
        heap_ = Heap(std::greater<Candidate>(), std::move(candidates));
    }

    Merge look_up(uint32_t left, uint32_t right) {
        const Merge merge = merges_.find(left, right);
        if (log_ != nullptr && merge.rank != kNoToken) log_->note(left, right, merge.id);
        return merge;
    }

    void offer(uint32_t left) {
        const uint32_t right = left == kEnd ? kEnd : symbols_[left].next;
        if (right == kEnd) return;
        const Merge merge = look_up(symbols_[left].id, symbols_[right].id);
        if (merge.rank != kNoToken) heap_.push({merge.rank, left, merge.id});
    }

    void apply(const Candidate& top) {
        Symbol& left = symbols_[top.position];
        if (left.is_gone || left.next == kEnd) return;
        Symbol& right = symbols_[left.next];
        // Another pair may stand here by now; only its product counts, as in HF tokenizers.
        const Merge now = merges_.find(left.id, right.id);
        if (now.rank == kNoToken || now.id != top.id) return;
        left.id = top.id;
        right.is_gone = true;
        left.next = right.next;
        if (right.next != kEnd) symbols_[right.next].previous = top.position;
        offer(left.previous);
        offer(top.position);
    }

    using Heap = std::priority_queue<Candidate, std::vector<Candidate>, std::greater<Candidate>>;
    const MergeTable& merges_;
    SplitLog* log_;
    std::vector<Symbol> symbols_;
    Heap heap_;
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
