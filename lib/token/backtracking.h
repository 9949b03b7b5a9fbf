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
class Vocabulary;

/// Tables derived from a BPE, over bytes or characters. Immutable after construction.
class Backtracking {
 public:
    /// What merging begins with: a byte, or a character. Its symbol is an id, or a number from the
    /// size of the vocabulary to below that and the number of singles, if it is no token.
    struct Single {
        std::string_view text;
        uint32_t symbol;
    };
    struct Merging {
        uint32_t rank, left, right;  // symbols
        uint32_t id;
    };
    explicit Backtracking(const Bpe& bpe);
    /// @param merges in the order of their ranks; of equal ones the leftmost pair goes first
    Backtracking(const Vocabulary& vocabulary, std::span<const Single> singles,
                 std::span<const Merging> merges);

    /// False when some token's parts merge later than the token itself, or two tokens at the same
    /// time, which no trainer makes but a file may say.
    bool is_possible() const { return is_possible_; }
    /// Appends the symbols of a piece that consists of singles.
    void encode(std::string_view piece, std::vector<uint32_t>& ids) const;

 private:
    // Tokens are numbered here by the rank of the merge that makes them, behind the singles: bytes
    // by their value, longer ones from 256 on. Tokens that BPE never makes are left out.
    struct Token {
        uint32_t symbol;  // kNoToken: of a byte that is no single
        uint32_t length;
        uint32_t shorter;  // longest token that is a proper prefix, or kNoToken
    };
    void number_singles(std::span<const Single> singles, std::span<uint32_t> numbers);
    void number_tokens(const Vocabulary& vocabulary, std::span<const Merging> merges,
                       std::span<uint32_t> numbers);
    void build_trie(const Vocabulary& vocabulary, std::span<const Single> singles);
    bool is_valid_pair(uint32_t left, uint32_t right) const;
    template <class Borders, class Chosen>
    void choose(std::string_view piece, Borders& closed, Chosen& chosen) const;

    std::vector<Token> tokens_;
    PairTable pairs_;
    TokenTrie trie_;
    bool is_possible_ = true;
};

}  // namespace longhaul::token
