// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// BPE in linear time: guess the longest token at each position, accept it when BPE would keep it
// next to the token before, else fall back to a shorter one or to the token before.
// Source: A. van Antwerpen, H. Neubeck, "So many tokens, so little time" (GitHub, 2024) and
// github/rust-gems, crates/bpe: in a BPE encoding every adjacent pair of tokens is an encoding of
// its own text, and only one sequence has that property.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lib/token/pair_table.h"
#include "lib/token/token_trie.h"

namespace longhaul::token {

class Bpe;

/// Tables derived from a Bpe. Immutable after construction.
class Backtracking {
 public:
    explicit Backtracking(const Bpe& bpe);

    /// False when some token's parts merge later than the token itself, which no trainer makes but
    /// a file may say.
    bool is_possible() const { return is_possible_; }
    /// Appends the ids of a piece, all of whose bytes are tokens.
    void encode(std::string_view piece, std::vector<uint32_t>& ids) const;

 private:
    struct Merging;  // a merge as the file says
    // Tokens are numbered here by the rank of the merge that makes them, single bytes first. Tokens
    // that BPE never makes are left out.
    struct Token {
        uint32_t id;
        uint32_t length;
        uint32_t shorter;  // longest token that is a proper prefix, or kNoToken
    };
    void number_tokens(const Bpe& bpe, std::span<const Merging> merges);
    void build_trie(const Bpe& bpe);
    bool is_valid_pair(uint32_t left, uint32_t right) const;
    template <class Borders, class Chosen>
    void choose(std::string_view piece, Borders& closed, Chosen& chosen) const;

    std::vector<Token> tokens_;
    PairTable pairs_;
    TokenTrie trie_;
    bool is_possible_ = true;
};

}  // namespace longhaul::token
