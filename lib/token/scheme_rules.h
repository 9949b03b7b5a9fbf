// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What tells the schemes of lib/token/scheme.h apart, as constants, and their classes of
// characters.

#include <array>
#include <cstdint>
#include <type_traits>

#include "lib/text/unicode.h"
#include "lib/token/hf_unicode.h"
#include "lib/token/scheme.h"

namespace longhaul::token {

/// Calls act(std::integral_constant<Scheme, S>) for the scheme at run time.
template <class Act>
decltype(auto) with_scheme(Scheme scheme, Act&& act) {
    switch (scheme) {
        case Scheme::kGpt2:
            return act(std::integral_constant<Scheme, Scheme::kGpt2>());
        case Scheme::kCl100k:
            return act(std::integral_constant<Scheme, Scheme::kCl100k>());
        case Scheme::kO200k:
            return act(std::integral_constant<Scheme, Scheme::kO200k>());
        case Scheme::kLlama3:
            return act(std::integral_constant<Scheme, Scheme::kLlama3>());
        case Scheme::kQwen2:
            return act(std::integral_constant<Scheme, Scheme::kQwen2>());
        case Scheme::kQwen35:
            return act(std::integral_constant<Scheme, Scheme::kQwen35>());
        case Scheme::kDeepSeekV3:
            return act(std::integral_constant<Scheme, Scheme::kDeepSeekV3>());
        case Scheme::kStarCoder:
            return act(std::integral_constant<Scheme, Scheme::kStarCoder>());
        case Scheme::kTekken:
            return act(std::integral_constant<Scheme, Scheme::kTekken>());
        case Scheme::kKimiK2:
            return act(std::integral_constant<Scheme, Scheme::kKimiK2>());
        case Scheme::kFalcon:
            break;
    }
    return act(std::integral_constant<Scheme, Scheme::kFalcon>());
}

namespace detail {

/// What a scheme looks like at large; the alternatives in the order of the pattern.
enum class Family {
    kGpt2,      // contraction, " ?" before letters, numbers, others
    kCl100k,    // contraction, one character before letters, numbers by themselves, line breaks
    kO200k,     // as cl100k, but words end before an upper case letter and keep contractions
    kDeepSeek,  // as cl100k, but [!-~][A-Za-z]+ and no contractions
};

struct Rules {
    Family family;
    int max_digits = 0;               // most numbers in a piece; 0: any number
    bool has_contractions = true;     // 's 't 're 've 'm 'll 'd
    bool marks_are_letters = false;   // \p{M} is among the letters
    bool others_take_slash = false;   // others end with [\r\n/]*, not [\r\n]*
    bool end_space_is_whole = false;  // white space up to the end of the text is one piece
    bool has_han = false;             // [\p{Han}]+ is a piece
    bool cuts_bytes = false;          // punctuation is apart, and digits of the byte alphabet
};

constexpr Rules rules_of(Scheme scheme) {
    switch (scheme) {
        case Scheme::kGpt2:
            return {Family::kGpt2};
        case Scheme::kCl100k:
            return {.family = Family::kCl100k, .max_digits = 3, .end_space_is_whole = true};
        case Scheme::kO200k:
            return {.family = Family::kO200k, .max_digits = 3, .others_take_slash = true};
        case Scheme::kLlama3:
            return {.family = Family::kCl100k, .max_digits = 3};
        case Scheme::kQwen2:
            return {.family = Family::kCl100k, .max_digits = 1};
        case Scheme::kQwen35:
            return {.family = Family::kCl100k, .max_digits = 1, .marks_are_letters = true};
        case Scheme::kDeepSeekV3:
            return {.family = Family::kDeepSeek,
                    .max_digits = 3,
                    .has_contractions = false,
                    .marks_are_letters = true};
        case Scheme::kStarCoder:
            return {.family = Family::kGpt2, .max_digits = 1};
        case Scheme::kTekken:
            return {.family = Family::kO200k,
                    .max_digits = 1,
                    .has_contractions = false,
                    .others_take_slash = true};
        case Scheme::kKimiK2:
            return {.family = Family::kO200k, .max_digits = 3, .has_han = true};
        case Scheme::kFalcon:
            break;
    }
    return {.family = Family::kGpt2, .has_contractions = false, .cuts_bytes = true};
}

// Classes of characters, as bits. Every character has exactly one of the first five.
enum Class : uint16_t {
    kLetter = 1,   // \p{L}, and \p{M} where marks are letters
    kNumber = 2,   // \p{N}
    kSpace = 4,    // \s
    kOther = 8,    // the rest of what the scheme's pieces of "others" are made of
    kGap = 16,     // DeepSeek: what no alternative matches on its own
    kUpper = 32,   // [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}], without Han where that is apart
    kLower = 64,   // [\p{Ll}\p{Lm}\p{Lo}\p{M}], without Han where that is apart
    kBreak = 128,  // [\r\n]
    kHan = 256,    // \p{Han}, where that is apart
    kCjk = 512,    // DeepSeek: cut from the rest by an earlier step
    kMark = 1024,  // Falcon: punctuation, cut from the rest by an earlier step; no other class
};

constexpr bool is_ascii_punctuation(unsigned c) {
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
}

/// @param properties as of text::detail::properties
template <Scheme kScheme>
constexpr uint16_t class_of_properties(unsigned properties) {
    using text::Category;
    constexpr Rules kRules = rules_of(kScheme);
    const auto category = static_cast<Category>(properties & 31);
    const uint32_t bit = 1u << (properties & 31);
    if (properties & 32) return kSpace;
    if (category == Category::kLu || category == Category::kLt) return kLetter | kUpper;
    if (category == Category::kLl) return kLetter | kLower;
    if (bit & text::kLetters) return kLetter | kUpper | kLower;
    if (bit & text::kNumbers) return kNumber;
    if (bit & text::kMarks) {
        return (kRules.marks_are_letters ? kLetter : kOther) | kUpper | kLower;
    }
    const bool is_symbol = bit & (text::kPunctuation | text::kSymbols);
    return kRules.family == Family::kDeepSeek && !is_symbol ? kGap : kOther;
}
template <Scheme kScheme>
inline constexpr std::array<uint16_t, 64> kClassOfProperties = [] {
    std::array<uint16_t, 64> table{};
    for (unsigned i = 0; i < 64; ++i) table[i] = class_of_properties<kScheme>(i);
    return table;
}();

template <Scheme kScheme>
constexpr uint16_t class_of_ascii(unsigned c) {
    if (c == '\r' || c == '\n') return kSpace | kBreak;
    if (c == ' ' || (c >= 9 && c <= 13)) return kSpace;
    if (c >= 'A' && c <= 'Z') return kLetter | kUpper;
    if (c >= 'a' && c <= 'z') return kLetter | kLower;
    if (c >= '0' && c <= '9') return kNumber;
    if (rules_of(kScheme).cuts_bytes && is_ascii_punctuation(c)) return kMark;
    return kScheme == Scheme::kDeepSeekV3 && !is_ascii_punctuation(c) ? kGap : kOther;
}
template <Scheme kScheme>
inline constexpr std::array<uint16_t, 128> kClassOfAscii = [] {
    std::array<uint16_t, 128> table{};
    for (unsigned c = 0; c < 128; ++c) table[c] = class_of_ascii<kScheme>(c);
    return table;
}();

/// Classes of any character. @param c below 0x110000
template <Scheme kScheme>
uint16_t class_of(char32_t c) {
    if (c < 0x80) return kClassOfAscii<kScheme>[c];
    const uint16_t classes = kClassOfProperties<kScheme>[text::detail::properties(c) & 63];
    if (kScheme == Scheme::kDeepSeekV3 &&
        ((c >= 0x4E00 && c <= 0x9FA5) || (c >= 0x3040 && c <= 0x30FF))) {
        return classes | kCjk;
    }
    if (rules_of(kScheme).cuts_bytes && hf::is_punctuation(c)) return kMark;
    if (rules_of(kScheme).has_han && c >= 0x2E80 && text::script_of(c) == text::Script::kHan) {
        return static_cast<uint16_t>((classes & ~(kUpper | kLower)) | kHan);
    }
    return classes;
}

/// A character's classes and length.
struct Char {
    uint16_t classes;  // 0 at the end of the text
    uint8_t length;
};
template <Scheme kScheme>
Char char_at(std::string_view text, size_t position) {
    if (position >= text.size()) return {0, 0};
    const auto byte = static_cast<uint8_t>(text[position]);
    if (byte < 0x80) return {kClassOfAscii<kScheme>[byte], 1};
    const text::Decoded decoded = text::decode_utf8(text, position);
    return {class_of<kScheme>(decoded.code_point), decoded.length};
}

}  // namespace detail
}  // namespace longhaul::token
