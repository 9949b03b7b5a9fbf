// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/char_set.h"

#include <algorithm>
#include <array>
#include <utility>

namespace longhaul::token {

namespace {

constexpr std::array<const char*, 30> kCategoryNames = {
    "Cn", "Cc", "Cf", "Co", "Cs", "Ll", "Lm", "Lo", "Lt", "Lu", "Mc", "Me", "Mn", "Nd", "Nl",
    "No", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Sc", "Sk", "Sm", "So", "Zl", "Zp", "Zs"};

constexpr std::pair<const char*, uint32_t> kGroups[] = {
    {"L", text::kLetters},     {"M", text::kMarks},        {"N", text::kNumbers},
    {"P", text::kPunctuation}, {"S", text::kSymbols},      {"Z", text::kSeparators},
    {"C", text::kOthers},      {"Letter", text::kLetters}, {"Number", text::kNumbers}};

constexpr std::pair<const char*, text::Script> kScriptNames[] = {
    {"Han", text::Script::kHan},        {"Hangul", text::Script::kHangul},
    {"Thai", text::Script::kThai},      {"Lao", text::Script::kLao},
    {"Khmer", text::Script::kKhmer},    {"Myanmar", text::Script::kMyanmar},
    {"Tibetan", text::Script::kTibetan}};

/// The other characters that match `c` when case is ignored, as far as ASCII is concerned.
std::array<char32_t, 2> other_cases(char32_t c) {
    if (c >= 'A' && c <= 'Z') return {c + 32, c};
    if (c == 's') return {U'S', 0x17F};
    if (c == 'k') return {U'K', 0x212A};
    if (c >= 'a' && c <= 'z') return {c - 32, c};
    if (c == 0x17F) return {U's', U'S'};
    if (c == 0x212A) return {U'k', U'K'};
    return {c, c};
}

}  // namespace

bool CharSet::add_property(std::string_view name) {
    for (size_t i = 0; i < kCategoryNames.size(); ++i) {
        if (name == kCategoryNames[i]) {
            categories_ |= 1u << i;
            return true;
        }
    }
    for (const auto& [group, mask] : kGroups) {
        if (name == group) {
            categories_ |= mask;
            return true;
        }
    }
    for (const auto& [script_name, script] : kScriptNames) {
        if (name == script_name) {
            scripts_.push_back(script);
            return true;
        }
    }
    return false;
}

bool CharSet::is_member(char32_t c) const {
    if (text::detail::in_categories(c, categories_)) return true;
    if (has_white_space_ && text::is_white_space(c)) return true;
    // Oniguruma's \w leaves out Join_Control, which UTS 18 has.
    if (has_word_ && text::is_word(c) && c != 0x200C && c != 0x200D) return true;
    for (const Range& range : ranges_) {
        if (c >= range.first && c <= range.last) return true;
    }
    for (const text::Script script : scripts_) {
        if (text::script_of(c) == script) return true;
    }
    return std::any_of(nested_.begin(), nested_.end(),
                       [&](const CharSet& set) { return set.compute(c); });
}

bool CharSet::compute(char32_t c) const {
    bool inside = is_member(c);
    if (!inside && ignores_case_) {
        for (const char32_t other : other_cases(c)) inside = inside || is_member(other);
    }
    inside = inside && std::all_of(intersections_.begin(), intersections_.end(),
                                   [&](const CharSet& set) { return set.compute(c); });
    return inside != is_negated_;
}

CharSet::Beyond CharSet::beyond_ascii() const {
    // Intersections only take away.
    bool may_have_any =
        is_negated_ || ignores_case_ || categories_ != 0 || has_word_ || !scripts_.empty();
    for (const Range& range : ranges_) may_have_any = may_have_any || range.last >= 128;
    Beyond beyond = has_white_space_ ? Beyond::kWhiteSpace : Beyond::kNothing;
    for (const CharSet& set : nested_) beyond = std::max(beyond, set.beyond_ascii());
    return may_have_any ? Beyond::kAnything : beyond;
}

void CharSet::finish() {
    for (char32_t c = 0; c < 128; ++c) {
        if (compute(c)) ascii_[c >> 6] |= uint64_t{1} << (c & 63);
    }
}

}  // namespace longhaul::token
