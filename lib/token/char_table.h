// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A number for every character, most of them absent: two levels of pages of 256 characters.

#include <array>
#include <cstdint>
#include <vector>

#include "lib/token/vocabulary.h"

namespace longhaul::token {

/// Code points below 0x110000 to numbers; kNoToken where nothing was set.
class CharTable {
 public:
    CharTable() { pages_.emplace_back().fill(kNoToken); }
    uint32_t get(char32_t character) const {
        return pages_[page_of_[character >> 8]][character & 255];
    }
    void set(char32_t character, uint32_t number) {
        uint16_t& page = page_of_[character >> 8];
        if (page == 0) {
            page = static_cast<uint16_t>(pages_.size());
            pages_.emplace_back().fill(kNoToken);
        }
        pages_[page][character & 255] = number;
    }

 private:
    std::vector<std::array<uint32_t, 256>> pages_;  // the first one stays empty
    std::array<uint16_t, 0x1100> page_of_{};
};

/// The character at `position` of well-formed UTF-8, and the position after it.
struct NextChar {
    char32_t character;
    size_t end;
};
inline NextChar next_char(std::string_view text, size_t position) {
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[position + i]); };
    const uint32_t lead = byte(0);
    if (lead < 0x80) return {lead, position + 1};
    if (lead < 0xE0) return {(lead & 0x1F) << 6 | (byte(1) & 0x3Fu), position + 2};
    if (lead < 0xF0) {
        return {(lead & 0x0F) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu), position + 3};
    }
    return {
        (lead & 0x07) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 | (byte(3) & 0x3Fu),
        position + 4};
}

}  // namespace longhaul::token
