// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Character classes as HF tokenizers 0.23 knows them. It is built from libraries of different age,
// so their Unicode versions differ: unicode_categories 0.1 (8.0), unicode-normalization-alignments
// 0.1 (9.0), its own script table (9.0) and Rust's standard library (17.0). Each was compared with
// tokenizers 0.23.3 for every character (make_hf_unicode.py --check).

#include <cstdint>
#include <string>
#include <string_view>

namespace longhaul::token::hf {

/// The versions, for source.json: what a difference between two builds can come from.
inline constexpr const char* kUnicodeVersions =
    "normalization 9.0, marks and punctuation 8.0, case and digits 17.0";

/// Punctuation, BertPreTokenizer: ASCII punctuation and symbols, and \p{P} of Unicode 8.0.
bool is_punctuation(char32_t c);
/// BertNormalizer strip_accents: \p{Mn} of Unicode 8.0.
bool is_nonspacing_mark(char32_t c);
/// BertNormalizer clean_text: \p{Cc}, \p{Cf} and \p{Co} of Unicode 8.0.
bool is_other(char32_t c);
/// StripAccents: \p{M} of Unicode 9.0.
bool is_combining_mark(char32_t c);
/// Digits: \p{N} of Unicode 17.0 (Rust's char::is_numeric).
bool is_numeric(char32_t c);
/// True when `text` has a digit that is_numeric() knows and Unicode 16.0 does not.
bool has_newer_digits(std::string_view text);
/// Appends the lower case by Unicode 17.0 (Rust's char::to_lowercase: without context).
void append_lower(char32_t c, std::string& out);
/// UnicodeScripts: a number for each script, kana as Han; 0 belongs to every script.
uint8_t script(char32_t c);

}  // namespace longhaul::token::hf
