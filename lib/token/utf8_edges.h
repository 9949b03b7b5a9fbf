// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The ends of a piece of well-formed UTF-8.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace longhaul::token {

/// Start of the last character of a non-empty text.
inline size_t last_character(std::string_view text) {
    size_t begin = text.size() - 1;
    while (begin > 0 && text.size() - begin < 4 &&
           (static_cast<uint8_t>(text[begin]) & 0xC0) == 0x80) {
        --begin;
    }
    return begin;
}

}  // namespace longhaul::token
