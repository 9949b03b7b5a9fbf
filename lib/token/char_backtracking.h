// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// BPE over characters in linear time (lib/token/backtracking.h): runs of the characters that merges
// know, and between them those that no merge reaches.
//
// Llama's and Mistral's SentencePiece models give all runs of spaces one and the same score, the
// lowest. Such merges come last, and of equal ones always the leftmost pair goes first: that is
// what a stack does on the symbols that the other merges leave.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/token/backtracking.h"
#include "lib/token/char_table.h"
#include "lib/token/cut_table.h"

namespace longhaul::token {

/// Immutable after construction.
class CharBacktracking {
 public:
    /// @param symbol_of the symbol of a character before merging; kNoToken: no merge has it
    CharBacktracking(const Vocabulary& vocabulary, const MergeTable& merges,
                     const std::function<uint32_t(char32_t)>& symbol_of);

    bool is_possible() const { return merges_.are_possible && backtracking_.is_possible(); }
    /// Appends the symbols that merging leaves of `text`. Calls add_other(character) for those of
    /// no merge, which appends its own.
    template <class AddOther>
    void encode(std::string_view text, std::vector<uint32_t>& symbols,
                const AddOther& add_other) const {
        const size_t base = symbols.size();
        for (size_t begin = 0; begin < text.size();) {
            size_t end = begin;
            NextChar next{0, begin};
            while (end < text.size()) {
                next = next_char(text, end);
                if (characters_.symbols.get(next.character) == kNoToken) break;
                end = next.end;
            }
            if (end > begin) encode_run(text.substr(begin, end - begin), base, symbols);
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
    struct Merges {
        Merges(const Vocabulary& vocabulary, const MergeTable& merges,
               const Characters& characters);
        std::vector<Backtracking::Merging> early;  // in the order of their ranks
        MergeTable last;                           // of the one rank behind those
        CutTable cuts;                             // where no early token reaches across
        bool are_possible = true;
    };
    void encode_run(std::string_view run, size_t base, std::vector<uint32_t>& symbols) const;

    Characters characters_;
    Merges merges_;
    Backtracking backtracking_;
};

}  // namespace longhaul::token
