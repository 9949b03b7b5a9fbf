// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which of several duplicates stays: a total order of all documents, so that the result depends on
// nothing else.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace longhaul::dedup {

/// A document's place in the order of a rule; the least stays. Equal ones go by input order.
struct OrderKey {
    uint64_t high = 0, low = 0;
    auto operator<=>(const OrderKey&) const = default;

    /// Of documents of an index: before all others.
    static constexpr OrderKey index() { return {}; }
};

class KeepRule {
 public:
    /// Input order.
    KeepRule() = default;
    /// @param words "first" (input order), or a list of "priority", "score" (the member score),
    ///        "score:MEMBER" and "length" ("longest"), the most important first
    /// @param priorities "PATTERN=N": of inputs whose path matches (fnmatch(3); the first match
    ///        counts, else 0); the greatest stays. Given without "priority" in the list, they come
    ///        first.
    /// @throws UsageError
    static KeepRule parse(const std::string& words, const std::vector<std::string>& priorities);

    bool is_input_order() const { return terms_.empty(); }
    /// Canonical words for parse().
    std::string words() const;
    std::vector<std::string> priority_words() const;
    /// The member that holds the score; empty when the rule asks for none.
    const std::string& score_member() const { return score_member_; }

    int priority_of(const std::string& path) const;
    /// @param line the record, when it is JSON; else empty
    /// @param[out] has_score set to false when the rule asks for a score and there is no number
    OrderKey key(int priority, std::string_view line, std::string_view text, bool& has_score) const;

 private:
    enum class Term { kPriority, kScore, kLength };
    void add_term(const std::string& word);

    std::vector<Term> terms_;
    std::string score_member_;
    std::vector<std::pair<std::string, int>> priorities_;
};

}  // namespace longhaul::dedup
