// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The merging of BPE on a sequence of symbols: always the adjacent pair of lowest rank, leftmost
// first.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/token/vocabulary.h"

namespace longhaul::token {

/// Remembers for some products from which pair they could be merged last: SentencePiece takes
/// unused pieces apart again this way.
class SplitLog {
 public:
    explicit SplitLog(const std::vector<bool>& is_logged) : is_logged_(is_logged) {}
    void note(uint32_t left, uint32_t right, uint32_t product) {
        if (is_logged(product)) splits_[product] = {left, right};
    }
    bool is_logged(uint32_t product) const {
        return product < is_logged_.size() && is_logged_[product];
    }
    /// Appends the symbols that `symbol` falls apart to.
    void expand(uint32_t symbol, std::vector<uint32_t>& out) const;

 private:
    const std::vector<bool>& is_logged_;
    std::unordered_map<uint32_t, std::pair<uint32_t, uint32_t>> splits_;
};

/// Merges `symbols` in place until no pair is left. @param log may be null.
void merge_symbols(const MergeTable& merges, std::vector<uint32_t>& symbols, SplitLog* log);

// The two ways that merge_symbols() chooses from by length: a scan for short sequences (quadratic)
// and a heap. For tests.
void merge_by_scan(const MergeTable& merges, std::vector<uint32_t>& symbols, SplitLog* log);
void merge_by_heap(const MergeTable& merges, std::vector<uint32_t>& symbols, SplitLog* log);

}  // namespace longhaul::token
