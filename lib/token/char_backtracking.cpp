// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/char_backtracking.h"

#include <algorithm>

#include "lib/text/unicode.h"
#include "lib/token/utf8_edges.h"

namespace longhaul::token {

namespace {

constexpr size_t kMostKept = 1 << 20;  // symbols of a part whose memory is used again

}  // namespace

CharBacktracking::Characters::Characters(const Vocabulary& vocabulary, const MergeTable& merges,
                                         const std::function<uint32_t(char32_t)>& symbol_of)
    : num_ids(vocabulary.size()) {
    std::vector<char32_t> found;
    merges.for_each([&](uint32_t, uint32_t, const Merge& merge) {
        const std::string_view text = vocabulary.bytes(merge.id);
        for (size_t at = 0; at < text.size();) {
            const NextChar next = next_char(text, at);
            at = next.end;
            if (symbols.get(next.character) != kNoToken) continue;
            const uint32_t symbol = symbol_of(next.character);
            if (symbol == kNoToken) continue;
            symbols.set(next.character, symbol);
            found.push_back(next.character);
            if (symbol >= num_ids) wide.push_back(symbol);
        }
    });
    std::sort(wide.begin(), wide.end());
    texts.reserve(found.size() * 4);  // never grows: singles point into it
    for (const char32_t character : found) {
        const size_t begin = texts.size();
        text::append_utf8(character, texts);
        const std::string_view text = std::string_view(texts).substr(begin);
        singles.push_back({text, narrow(symbols.get(character))});
    }
}

uint32_t CharBacktracking::Characters::narrow(uint32_t symbol) const {
    if (symbol < num_ids) return symbol;
    const auto found = std::lower_bound(wide.begin(), wide.end(), symbol);
    if (found == wide.end() || *found != symbol) return kNoToken;
    return num_ids + static_cast<uint32_t>(found - wide.begin());
}

CharBacktracking::Merges::Merges(const Vocabulary& vocabulary, const MergeTable& merges,
                                 const Characters& characters) {
    merges.for_each([&](uint32_t left, uint32_t right, const Merge& merge) {
        const uint32_t from = characters.narrow(left), to = characters.narrow(right);
        if (from == kNoToken || to == kNoToken) return;  // no text begins so
        early.push_back({merge.rank, from, to, merge.id});
    });
    std::sort(early.begin(), early.end(), [](const auto& a, const auto& b) {
        return a.rank != b.rank ? a.rank < b.rank : a.id < b.id;
    });
    // The first rank of two tokens must be the last one.
    const auto is_tie = [](const auto& a, const auto& b) {
        return a.rank == b.rank && a.id != b.id;
    };
    const auto tie = std::adjacent_find(early.begin(), early.end(), is_tie);
    if (tie != early.end()) {
        const uint32_t rank = tie->rank;
        are_possible = early.back().rank == rank;
        std::erase_if(early, [&](const auto& merge) { return merge.rank >= rank; });
        std::vector<bool> is_last(vocabulary.size());
        merges.for_each([&](uint32_t left, uint32_t right, const Merge& merge) {
            if (merge.rank != rank) return;
            last.set(left, right, merge);
            is_last[merge.id] = true;
        });
        for (const Backtracking::Merging& merge : early) {
            for (const uint32_t part : {merge.left, merge.right}) {
                are_possible = are_possible && !(part < is_last.size() && is_last[part]);
            }
        }
    }
    for (const Backtracking::Merging& merge : early) cuts.add_token(vocabulary.bytes(merge.id));
    cuts.allow_before_all();
    cuts.finish();
}

CharBacktracking::CharBacktracking(const Vocabulary& vocabulary, const MergeTable& merges,
                                   const std::function<uint32_t(char32_t)>& symbol_of)
    : characters_(vocabulary, merges, symbol_of),
      merges_(vocabulary, merges, characters_),
      backtracking_(vocabulary, characters_.singles, merges_.early) {}

/// Does the early merges in parts, which memory is small for, and lets their symbols meet.
void CharBacktracking::encode_run(std::string_view run, size_t base,
                                  std::vector<uint32_t>& symbols) const {
    constexpr size_t kFewBytes = 4096;
    thread_local std::vector<uint32_t> early;
    while (!run.empty()) {
        size_t size = run.size();
        if (size > kFewBytes) {
            const size_t from = last_character(run.substr(0, kFewBytes));
            uint32_t end = 0;
            merges_.cuts.cut(run.substr(from), &end, 1);
            size = from + end;
        }
        early.clear();
        backtracking_.encode(run.substr(0, size), early);
        for (uint32_t symbol : early) {
            if (symbol >= characters_.num_ids) {
                symbol = characters_.wide[symbol - characters_.num_ids];
            }
            while (merges_.last.size() != 0 && symbols.size() > base) {
                const Merge merge = merges_.last.find(symbols.back(), symbol);
                if (merge.id == kNoToken) break;
                symbols.pop_back();
                symbol = merge.id;
            }
            symbols.push_back(symbol);
        }
        run.remove_prefix(size);
        if (early.capacity() > kMostKept) early = {};
    }
}

}  // namespace longhaul::token
