// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The tokens "<0x00>" to "<0xFF>" of SentencePiece: characters without a token of their own become
// the tokens of their bytes (byte fallback).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace longhaul::token {

/// 10 -> "<0x0A>".
inline std::string byte_piece(uint8_t byte) {
    constexpr const char* kDigits = "0123456789ABCDEF";
    return {'<', '0', 'x', kDigits[byte >> 4], kDigits[byte & 15], '>'};
}

/// "<0x0A>" -> 10; nothing for other texts.
inline std::optional<uint8_t> piece_byte(std::string_view piece) {
    if (piece.size() != 6) return std::nullopt;
    unsigned byte = 0;
    for (const char digit : piece.substr(3, 2)) {
        const bool is_decimal = digit >= '0' && digit <= '9';
        if (!is_decimal && (digit < 'A' || digit > 'F')) return std::nullopt;
        byte = byte * 16 + static_cast<unsigned>(is_decimal ? digit - '0' : digit - 'A' + 10);
    }
    const auto value = static_cast<uint8_t>(byte);
    if (piece != byte_piece(value)) return std::nullopt;
    return value;
}

}  // namespace longhaul::token
