// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sets of characters as regular expressions name them, over our own Unicode tables.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lib/text/unicode.h"

namespace longhaul::token {

/// A set of code points: ranges, general categories, scripts and nested sets, possibly negated and
/// intersected with others. finish() must be called once before contains().
class CharSet {
 public:
    void add_range(char32_t first, char32_t last) { ranges_.push_back({first, last}); }
    void add_categories(uint32_t mask) { categories_ |= mask; }
    void add_white_space() { has_white_space_ = true; }
    void add_word() { has_word_ = true; }
    void add_script(text::Script script) { scripts_.push_back(script); }
    void add_nested(CharSet set) { nested_.push_back(std::move(set)); }
    void intersect(CharSet set) { intersections_.push_back(std::move(set)); }
    void negate() { is_negated_ = !is_negated_; }
    /// Adds the other case of ASCII letters, and U+017F and U+212A where s or k is a member.
    void ignore_case() { ignores_case_ = true; }
    /// Adds what "\p{NAME}" means. @return false for an unknown or unsupported name.
    bool add_property(std::string_view name);

    enum class Beyond { kNothing, kWhiteSpace, kAnything };
    /// What it may have outside of ASCII, at most.
    Beyond beyond_ascii() const;

    /// Precomputes the answers for ASCII.
    void finish();
    bool contains(char32_t c) const {
        return c < 128 ? (ascii_[c >> 6] >> (c & 63)) & 1 : compute(c);
    }

 private:
    struct Range {
        char32_t first, last;
    };
    bool compute(char32_t c) const;
    bool is_member(char32_t c) const;

    std::vector<Range> ranges_;
    std::vector<text::Script> scripts_;
    std::vector<CharSet> nested_, intersections_;
    uint32_t categories_ = 0;
    bool has_white_space_ = false, has_word_ = false, is_negated_ = false, ignores_case_ = false;
    uint64_t ascii_[2] = {0, 0};
};

}  // namespace longhaul::token
