// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where a text may be cut so that its parts are encoded as they would be inside the whole: between
// two characters that stand next to each other in no token.
//
// Why: a symbol across the cut would contain both characters side by side, and there is no such
// token to merge to. What else may look across (runs of unknown characters that become one id) is
// excluded by cutting only before characters that are tokens themselves.

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/token/char_table.h"
#include "lib/token/model.h"

namespace longhaul::token {

/// Filled, then finished, then immutable and usable in parallel.
class CutTable {
 public:
    /// No cut inside of an occurrence of this text. @param token well-formed UTF-8.
    void add_token(std::string_view token);
    /// Cuts before this character are allowed.
    void allow_before(char32_t character) { allowed_.set(character, 1); }
    /// Cuts before every character are allowed.
    void allow_before_all() { is_allowed_before_all_ = true; }
    /// To be called after the last of the above.
    void finish();

    /// Writes where the first parts of `text` end, the shortest parts there are; the last may be
    /// the end of the text. @param ends room for `most` numbers. @return how many, at least 1
    /// @param text well-formed UTF-8, not empty; 4 GiB at most.
    size_t cut(std::string_view text, uint32_t* ends, size_t most) const;

    /// As Model::byte_cuts().
    Model::ByteCuts byte_cuts() const;

 private:
    bool is_allowed_before(char32_t character) const {
        return is_allowed_before_all_ || allowed_.get(character) != kNoToken;
    }
    template <class Visit>
    void for_each_pair(const Visit& visit) const;
    bool is_cut(char32_t left, char32_t right) const;
    size_t slot_of(uint64_t pair) const;
    size_t cut_narrow(std::string_view text, NextChar& left, uint32_t* ends, size_t count,
                      size_t most) const;

    // Pairs of characters that tokens have. Those of one ASCII character and U+2581, which stands
    // for a space, are most of what texts have: they are kept with ASCII as character 127.
    static constexpr uint32_t kNarrow = 128;
    static constexpr char32_t kSpace = 0x2581;
    static uint32_t narrow(char32_t character) {
        return character < kNarrow - 1 ? character : character == kSpace ? kNarrow - 1 : kNarrow;
    }

    CharTable allowed_;
    bool is_allowed_before_all_ = false;
    std::bitset<kNarrow * kNarrow> narrow_pairs_, narrow_cuts_;
    std::vector<uint64_t> pairs_;  // all others, until finish() unsorted
    std::vector<uint64_t> slots_;  // the same as a hash table
};

}  // namespace longhaul::token
