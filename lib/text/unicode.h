// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Unicode 16.0 character classes and UTF-8, from our own generated tables, so that results never
// depend on the system's libraries. Source: the Unicode Character Database 16.0.0.

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/text/unicode_tables.h"

namespace longhaul::text {

inline constexpr const char* kUnicodeVersion = "16.0.0";
inline constexpr char32_t kReplacement = 0xFFFD;

/// General categories in alphabetical order of their group.
enum class Category : uint8_t {
    kCn,
    kCc,
    kCf,
    kCo,
    kCs,  // unassigned, control, format, private, surrogate
    kLl,
    kLm,
    kLo,
    kLt,
    kLu,  // letters
    kMc,
    kMe,
    kMn,  // marks
    kNd,
    kNl,
    kNo,  // numbers
    kPc,
    kPd,
    kPe,
    kPf,
    kPi,
    kPo,
    kPs,  // punctuation
    kSc,
    kSk,
    kSm,
    kSo,  // symbols
    kZl,
    kZp,
    kZs,  // separators
};

/// Scripts that are written without spaces between words, and Hangul.
enum class Script : uint8_t {
    kOther,
    kHan,
    kKana,
    kHangul,
    kThai,
    kLao,
    kKhmer,
    kMyanmar,
    kTibetan
};

namespace detail {
/// Bits 0-4 category, bit 5 White_Space. @param code_point below 0x110000.
inline uint8_t properties(char32_t code_point) {
    return tables::kPropertyBlocks[tables::kPropertyIndex[code_point >> 7] * 128u +
                                   (code_point & 127)];
}
constexpr uint32_t category_mask(Category first, Category last) {
    return ((2u << static_cast<unsigned>(last)) - 1) & ~((1u << static_cast<unsigned>(first)) - 1);
}
inline bool in_categories(char32_t code_point, uint32_t mask) {
    return (mask >> (properties(code_point) & 31)) & 1;
}
}  // namespace detail

// Masks over Category for in_categories-like tests.
inline constexpr uint32_t kLetters = detail::category_mask(Category::kLl, Category::kLu);
inline constexpr uint32_t kMarks = detail::category_mask(Category::kMc, Category::kMn);
inline constexpr uint32_t kNumbers = detail::category_mask(Category::kNd, Category::kNo);
inline constexpr uint32_t kPunctuation = detail::category_mask(Category::kPc, Category::kPs);
inline constexpr uint32_t kSymbols = detail::category_mask(Category::kSc, Category::kSo);
inline constexpr uint32_t kSeparators = detail::category_mask(Category::kZl, Category::kZs);
inline constexpr uint32_t kOthers = detail::category_mask(Category::kCn, Category::kCs);

// All take a code point below 0x110000.
inline Category general_category(char32_t c) {
    return static_cast<Category>(detail::properties(c) & 31);
}
inline bool is_letter(char32_t c) {
    return detail::in_categories(c, kLetters);
}  // \p{L}
inline bool is_mark(char32_t c) {
    return detail::in_categories(c, kMarks);
}  // \p{M}
inline bool is_number(char32_t c) {
    return detail::in_categories(c, kNumbers);
}  // \p{N}
inline bool is_decimal_digit(char32_t c) {
    return general_category(c) == Category::kNd;
}  // \p{Nd}
inline bool is_punctuation(char32_t c) {
    return detail::in_categories(c, kPunctuation);
}  // \p{P}
inline bool is_symbol(char32_t c) {
    return detail::in_categories(c, kSymbols);
}  // \p{S}
/// The property White_Space: what \s means in every engine we match.
inline bool is_white_space(char32_t c) {
    return detail::properties(c) & 32;
}
/// \w of UTS 18: Alphabetic, marks, decimal digits, connector punctuation, join controls.
bool is_word(char32_t c);
Script script_of(char32_t c);

/// Simple lower case mapping.
char32_t to_lower(char32_t c);
/// Full lower case of one character, without context: U+0130 becomes two.
void append_lower(char32_t c, std::string& out);

/// One step of decoding.
struct Decoded {
    char32_t code_point = kReplacement;
    uint8_t length = 1;  // bytes consumed
    bool is_valid = true;
};
/// Decodes the character at `position`; position < text.size(). Invalid input: U+FFFD, not valid,
/// and the length of the maximal well-formed prefix (Unicode 16.0, section 3.9, "U+FFFD
/// Substitution of Maximal Subparts"), at least 1.
Decoded decode_utf8(std::string_view text, size_t position);
void append_utf8(char32_t code_point, std::string& out);
/// The same into a buffer with room for 4 bytes. @return the end of what was written
char* put_utf8(char32_t code_point, char* out);
/// Fast.
bool is_valid_utf8(std::string_view text);
/// Offset of the first byte that is not well-formed UTF-8, or npos.
size_t find_invalid_utf8(std::string_view text);
/// Replaces every maximal invalid subpart by U+FFFD. @param[out] replaced counts them.
std::string replace_invalid_utf8(std::string_view text, uint64_t& replaced);

}  // namespace longhaul::text
