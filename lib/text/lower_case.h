// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Full lower case of whole texts, equal to Python's str.lower with Unicode 16.0 data: simple
// mappings, U+0130 becomes two characters, and sigma has its final form at the end of words.
// Source: the Unicode Standard 16.0, section 3.13, with SpecialCasing.txt.

#include <cstddef>
#include <string>
#include <string_view>

namespace longhaul::text {

/// True when the sigma of `length` bytes at `position` becomes U+03C2.
bool is_final_sigma(std::string_view text, size_t position, size_t length);

/// Replaces `out` by the lower case of `text`; an invalid byte becomes U+FFFD.
void lower_case(std::string_view text, std::string& out);

}  // namespace longhaul::text
