// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Tokens that are found in the text before anything else: control tokens such as <|endoftext|> and
// other added tokens. Semantics of huggingface/tokenizers, tokenizer/added_vocabulary.rs.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/token/vocabulary.h"

namespace longhaul::token {

struct AddedToken {
    uint32_t id = 0;
    std::string content;
    bool is_single_word = false;  // only where no word character is next to it
    bool strips_left = false;     // swallows white space before it
    bool strips_right = false;    // and after it
    bool is_normalized = false;   // looked for in the normalised text
    bool is_special = false;      // a control token
};

/// A part of a text: either an added token or text between them.
struct TextPart {
    std::string_view text;   // as found, with swallowed white space
    uint32_t id = kNoToken;  // kNoToken: plain text
};

/// Finds the added tokens of one group (raw or normalised): leftmost, longest.
class AddedTokenFinder {
 public:
    void add(const AddedToken& token, std::string_view content);
    bool is_empty() const { return tokens_.empty(); }
    /// Appends the parts of `text`. @param parse_special false: special tokens stay plain text.
    void split(std::string_view text, bool parse_special, std::vector<TextPart>& parts) const;
    /// The first special token in `text`, or null.
    const AddedToken* find_special(std::string_view text) const;

 private:
    struct Found {
        size_t begin = 0, end = 0;
        const AddedToken* token = nullptr;
    };
    /// Where rare first bytes occur next, so that each is looked for only once in a text.
    struct Cursor {
        std::array<size_t, 4> next{};
        bool is_set = false;
    };
    Found find(std::string_view text, size_t from, Cursor& cursor) const;
    /// The first position from `from` on where a token may begin, or the end of the text.
    size_t next_candidate(std::string_view text, size_t from, Cursor& cursor) const;
    bool may_begin(uint8_t first, uint8_t second) const {
        const unsigned pair = first * 256u + second;
        return (pairs_[pair >> 6] >> (pair & 63)) & 1;
    }
    Found longest_at(std::string_view text, size_t begin) const;

    std::vector<AddedToken> tokens_;
    MergeTable trie_;  // (node, byte) -> Merge{rank: index of a token that ends there, id: node}
    uint32_t num_nodes_ = 1;
    std::string first_bytes_;                 // of all tokens, each once
    bool has_rare_starts_ = true;             // few first bytes, none of them common in text
    std::array<uint64_t, 1024> pairs_{};      // the first two bytes of a token
    std::array<bool, 256> is_single_byte_{};  // bytes that are a token
};

}  // namespace longhaul::token
