// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where a text may be cut so that its parts are encoded as they would be inside the whole: between
// two characters that stand next to each other in no token.
//
// Why: a symbol across the cut would contain both characters side by side, and there is no such
// token to merge to. What else may look across (runs of unknown characters that become one id) is
// excluded by cutting only before characters that are tokens themselves.

#include <array>
#include <bitset>
#include <cstdint>
#include <string_view>
#include <unordered_set>

#include "lib/token/char_table.h"

namespace longhaul::token {

/// Filled once, then immutable and usable in parallel.
class CutTable {
 public:
    /// No cut inside of an occurrence of this text. @param token well-formed UTF-8.
    void add_token(std::string_view token);
    /// Cuts before this character are allowed.
    void allow_before(char32_t character);
    /// Cuts before every character are allowed.
    void allow_before_all() { is_allowed_before_all_ = true; }

    bool is_cut(char32_t left, char32_t right) const {
        if (!is_allowed_before_all_ && allowed_.get(right) == kNoToken) return false;
        if ((left | right) < 128) return !ascii_pairs_[left * 128 + right];
        return !pairs_.contains(uint64_t{left} << 32 | right);
    }

    /// A part of `text` from its beginning up to a cut: the next word if words begin with U+2581 or
    /// a space and are short, else less. @return text.size() when there is no cut.
    size_t first_cut(std::string_view text) const;

    /// Parts up to this size are handed out whole when a word ends there.
    static constexpr size_t kShortBytes = 15;

 private:
    size_t word_end(std::string_view text) const;
    void note_pair(char32_t left, char32_t right);

    CharTable allowed_;
    bool is_allowed_before_all_ = false;
    bool is_inside_words_ = false;  // some token has U+2581 after another character
    std::bitset<128 * 128> ascii_pairs_;
    std::unordered_set<uint64_t> pairs_;
};

}  // namespace longhaul::token
