// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// BPE over characters in linear time (lib/token/backtracking.h): runs of the characters that merges
// know, and between them those that no merge reaches.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/token/backtracking.h"
#include "lib/token/char_table.h"

namespace longhaul::token {

/// Immutable after construction.
class CharBacktracking {
 public:
    /// @param symbol_of the symbol of a character before merging; kNoToken: no merge has it
    CharBacktracking(const Vocabulary& vocabulary, const MergeTable& merges,
                     const std::function<uint32_t(char32_t)>& symbol_of);

    bool is_possible() const { return backtracking_.is_possible(); }
    /// Appends the symbols that merging leaves of `text`. Calls add_other(character) for those of
    /// no merge, which appends its own.
    template <class AddOther>
    void encode(std::string_view text, std::vector<uint32_t>& symbols,
                const AddOther& add_other) const {
        for (size_t begin = 0; begin < text.size();) {
            size_t end = begin;
            NextChar next{0, begin};
            while (end < text.size()) {
                next = next_char(text, end);
                if (characters_.symbols.get(next.character) == kNoToken) break;
                end = next.end;
            }
            if (end > begin) encode_run(text.substr(begin, end - begin), symbols);
            if (end < text.size()) add_other(next.character);
            begin = next.end;
        }
    }

 private:
    /// The characters that merges have, and their symbols: of those that are no token, numbers
    /// behind all ids.
    struct Characters {
        Characters(const Vocabulary& vocabulary, const MergeTable& merges,
                   const std::function<uint32_t(char32_t)>& symbol_of);
        uint32_t narrow(uint32_t symbol) const;
        CharTable symbols;
        std::string texts;
        std::vector<Backtracking::Single> singles;
        std::vector<uint32_t> wide;  // the symbols that are no ids, sorted
        uint32_t num_ids;
    };
    void encode_run(std::string_view run, std::vector<uint32_t>& symbols) const;
    static std::vector<Backtracking::Merging> merges_in_order(const Characters& characters,
                                                              const MergeTable& merges);

    Characters characters_;
    Backtracking backtracking_;
};

}  // namespace longhaul::token
