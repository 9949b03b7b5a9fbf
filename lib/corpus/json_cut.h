// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Cuts passages out of a JSON string in its stored form: offsets count in the decoded text, every
// other byte stays as it is written.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace longhaul::corpus {

/// Bytes [begin, end) of a decoded text; both stand at the border of a code point.
struct TextSpan {
    uint64_t begin = 0;
    uint64_t end = 0;
    bool operator==(const TextSpan&) const = default;
};

/// Appends the JSON string `stored` (valid, without its quotes) to `out`, without `cuts`. What a
/// reader decodes from the result is the decoded text without the cuts. For that, a low surrogate
/// that a cut would join with a lone high one to a character is written as \ufffd, which is what
/// both were decoded to.
/// @param cuts ascending, apart from each other, inside the decoded text
void append_cut_json_string(std::string_view stored, std::span<const TextSpan> cuts,
                            std::string& out);

}  // namespace longhaul::corpus
