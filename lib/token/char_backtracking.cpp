// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/char_backtracking.h"

#include <algorithm>

#include "lib/text/unicode.h"

namespace longhaul::token {

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

std::vector<Backtracking::Merging> CharBacktracking::merges_in_order(const Characters& characters,
                                                                     const MergeTable& merges) {
    std::vector<Backtracking::Merging> ordered;
    ordered.reserve(merges.size());
    merges.for_each([&](uint32_t left, uint32_t right, const Merge& merge) {
        const uint32_t from = characters.narrow(left), to = characters.narrow(right);
        if (from == kNoToken || to == kNoToken) return;  // no text begins so
        ordered.push_back({merge.rank, from, to, merge.id});
    });
    std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
        return a.rank != b.rank ? a.rank < b.rank : a.id < b.id;
    });
    return ordered;
}

CharBacktracking::CharBacktracking(const Vocabulary& vocabulary, const MergeTable& merges,
                                   const std::function<uint32_t(char32_t)>& symbol_of)
    : characters_(vocabulary, merges, symbol_of),
      backtracking_(vocabulary, characters_.singles, merges_in_order(characters_, merges)) {}

void CharBacktracking::encode_run(std::string_view run, std::vector<uint32_t>& symbols) const {
    const size_t before = symbols.size();
    backtracking_.encode(run, symbols);
    if (characters_.wide.empty()) return;
    for (size_t i = before; i < symbols.size(); ++i) {
        if (symbols[i] >= characters_.num_ids) {
            symbols[i] = characters_.wide[symbols[i] - characters_.num_ids];
        }
    }
}

}  // namespace longhaul::token
