// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A small regular expression engine for pre-tokenisation patterns: the general, slow path. It
// matches as backtracking engines do (leftmost, alternatives in order), over our own Unicode
// tables, without recursion over the text.
//
// Supported: literals, . \d \D \s \S \w \W \p{..} \P{..} \r \n \t \f \v \xHH \x{H..} \uHHHH,
// classes with ranges, nesting, negation and &&, | (..) (?:..) (?i:..) (?i) (?>..), the quantifiers
// * + ? {m} {m,} {m,n} with lazy "?" and possessive "+", (?=..) (?!..) (?<=c) (?<!c) of one
// character, \A \z ^ $. Everything else is refused by name.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/token/byte_set.h"
#include "lib/token/char_set.h"

namespace longhaul::token {

/// A compiled pattern. Immutable; find() may be called in parallel.
class Regex {
 public:
    struct Match {
        size_t begin = 0, end = 0;
    };

    /// @throws DataError "pattern: character N: what is wrong or not supported".
    explicit Regex(std::string_view pattern);

    /// The leftmost match that begins at or after `from`.
    std::optional<Match> find(std::string_view text, size_t from) const;
    /// Calls visit(match) for all matches from the left. An empty match right behind another match
    /// does not count, as in Rust's onig.
    template <class Visit>
    void for_each_match(std::string_view text, Visit&& visit) const {
        constexpr size_t none = ~size_t{0};
        size_t last_end = none;
        for (size_t from = 0; from <= text.size();) {
            const auto match = find(text, from);
            if (!match) return;
            if (match->begin != match->end || match->end != last_end) {
                last_end = from = match->end;
                visit(*match);
            } else {
                ++from;
                while (from < text.size() && (text[from] & 0xC0) == 0x80) ++from;
            }
        }
    }
    /// Length of the match that begins exactly at `at`, or nothing.
    std::optional<size_t> match_at(std::string_view text, size_t at) const;

    enum class Op : uint8_t {
        kSet,         // one character of sets[a]
        kRepeat,      // sets[a], min..max times, by mode
        kSplit,       // try a, then b
        kJump,        // a
        kLook,        // sub-program at pc + 1; continues at a; b: 1 when negated
        kAtomic,      // sub-program at pc + 1 without backtracking into it; continues at a
        kLookBehind,  // previous character in sets[a]; b: 1 when negated
        kTextBegin,
        kTextEnd,
        kLineBegin,
        kLineEnd,
        kAccept  // end of program or sub-program
    };
    enum class Mode : uint8_t { kGreedy, kLazy, kPossessive };
    struct Instruction {
        Op op = Op::kAccept;
        Mode mode = Mode::kGreedy;
        uint32_t a = 0, b = 0;
        uint32_t min = 1, max = 1;  // max kUnlimited: no limit
    };
    static constexpr uint32_t kUnlimited = ~uint32_t{0};

 private:
    std::vector<Instruction> program_;
    std::vector<CharSet> sets_;
    std::vector<ByteSet> first_;  // of each instruction, regex_first.h
};

}  // namespace longhaul::token
