// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/keep_rule.h"

#include <fnmatch.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

#include "lib/base/error.h"
#include "lib/corpus/number_member.h"

namespace longhaul::dedup {

namespace {

constexpr int kMaxPriority = 16383;
constexpr int kPriorityBits = 15, kScoreBits = 64, kLengthBits = 48;
static_assert(1 + kPriorityBits + kScoreBits + kLengthBits == 128);

/// Numbers whose order is that of falling scores; no score is the last.
uint64_t rank_of_score(std::optional<double> score) {
    if (!score) return ~uint64_t{0};
    const auto bits = std::bit_cast<uint64_t>(*score + 0.0);  // -0 is 0
    const bool is_negative = bits >> 63 != 0;
    const uint64_t ascending = is_negative ? ~bits : bits | uint64_t{1} << 63;
    return ~ascending;
}

std::pair<std::string, int> parse_priority(const std::string& word) {
    const size_t equal = word.rfind('=');
    int value = 0;
    const char* const end = word.data() + word.size();
    const char* const begin = equal == std::string::npos ? end : word.data() + equal + 1;
    const auto [stop, error] = std::from_chars(begin, end, value);
    const bool is_number = begin != end && error == std::errc() && stop == end;
    if (equal == std::string::npos || equal == 0 || !is_number || std::abs(value) > kMaxPriority) {
        throw UsageError(format("--priority \"{}\": not PATTERN=N with N from -{} to {}", word,
                                kMaxPriority, kMaxPriority));
    }
    return {word.substr(0, equal), value};
}

}  // namespace

void KeepRule::add_term(const std::string& word) {
    Term term = Term::kLength;
    if (word == "priority") {
        term = Term::kPriority;
    } else if (word == "score" || word.starts_with("score:")) {
        term = Term::kScore;
        score_member_ = word == "score" ? "score" : word.substr(6);
        if (score_member_.empty()) throw UsageError("--keep score: : no member is named");
    } else if (word != "length" && word != "longest") {
        throw UsageError(
            format("--keep: \"{}\" is not first, priority, score, score:MEMBER, "
                   "length or longest",
                   word));
    }
    if (std::find(terms_.begin(), terms_.end(), term) != terms_.end()) {
        throw UsageError(format("--keep: {} says again what the list says before", word));
    }
    terms_.push_back(term);
}

KeepRule KeepRule::parse(const std::string& words, const std::vector<std::string>& priorities) {
    KeepRule rule;
    for (const std::string& word : priorities) rule.priorities_.push_back(parse_priority(word));
    for (size_t begin = 0; words != "first" && begin <= words.size();) {
        const size_t end = std::min(words.find(',', begin), words.size());
        rule.add_term(words.substr(begin, end - begin));
        begin = end + 1;
    }
    const bool has_term =
        std::find(rule.terms_.begin(), rule.terms_.end(), Term::kPriority) != rule.terms_.end();
    if (has_term && priorities.empty()) {
        throw UsageError("--keep priority needs --priority PATTERN=N");
    }
    if (!has_term && !priorities.empty()) {
        rule.terms_.insert(rule.terms_.begin(), Term::kPriority);
    }
    return rule;
}

std::string KeepRule::words() const {
    std::string words;
    for (const Term term : terms_) {
        if (!words.empty()) words += ',';
        if (term == Term::kPriority) words += "priority";
        if (term == Term::kScore) words += "score:" + score_member_;
        if (term == Term::kLength) words += "length";
    }
    return words.empty() ? "first" : words;
}

std::vector<std::string> KeepRule::priority_words() const {
    std::vector<std::string> words;
    for (const auto& [pattern, value] : priorities_)
        words.push_back(format("{}={}", pattern, value));
    return words;
}

int KeepRule::priority_of(const std::string& path) const {
    for (const auto& [pattern, value] : priorities_) {
        if (::fnmatch(pattern.c_str(), path.c_str(), 0) == 0) return value;
    }
    return 0;
}

OrderKey KeepRule::key(int priority, std::string_view line, std::string_view text,
                       bool& has_score) const {
    std::optional<double> score;
    if (!score_member_.empty()) {
        score = corpus::number_member(line, score_member_);
        has_score = score.has_value();
    }
    __uint128_t key = 1;  // after every document of an index
    int num_bits = 1;
    const auto append = [&](uint64_t value, int bits) {
        key = key << bits | value;
        num_bits += bits;
    };
    for (const Term term : terms_) {
        if (term == Term::kPriority) {
            append(static_cast<uint64_t>(kMaxPriority - priority), kPriorityBits);
        } else if (term == Term::kScore) {
            append(rank_of_score(score), kScoreBits);
        } else {
            const uint64_t longest = (uint64_t{1} << kLengthBits) - 1;
            append(longest - std::min<uint64_t>(text.size(), longest), kLengthBits);
        }
    }
    // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): it does not know 128-bit shifts.
    key <<= 128 - num_bits;
    return {static_cast<uint64_t>(key >> 64), static_cast<uint64_t>(key)};
}

}  // namespace longhaul::dedup
