// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The text steps of the Python programs whose shingles we make, with Unicode 16.0 data.

#include <string>
#include <string_view>

namespace longhaul::dedup {

/// What str.isspace(), str.split() and \s of `re` know: White_Space and U+001C to U+001F.
bool is_python_space(char32_t c);
/// Appends `text` without the characters of string.punctuation (ASCII). @param text may not alias
void append_without_punctuation(std::string_view text, std::string& out);
/// Appends re.sub(r"\s+", " ", text.strip()).
void append_collapsed(std::string_view text, std::string& out);
/// True for \w of the package `regex` (UTS 18).
bool is_python_word(char32_t c);

}  // namespace longhaul::dedup
