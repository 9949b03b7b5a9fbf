// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The text steps of the Python programs whose shingles we make, with Unicode 16.0 data.

#include <string>
#include <string_view>

namespace longhaul::dedup {

/// What str.isspace(), str.split() and \s of `re` know: White_Space and U+001C to U+001F.
bool is_python_space(char32_t c);
// `text` may not be a part of `out`.
/// Appends `text` without the characters of string.punctuation (ASCII).
void append_without_punctuation(std::string_view text, std::string& out);
/// Appends re.sub(r"\s+", " ", text.strip()).
void append_collapsed(std::string_view text, std::string& out);
/// Appends the runs of \w of the package `regex` (UTS 18), a space between them.
void append_python_words(std::string_view text, std::string& out);

}  // namespace longhaul::dedup
