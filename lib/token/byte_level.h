// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The byte alphabet of GPT-2: every byte is written as one printable character, so that tokens can
// be JSON strings. Bytes 33-126, 161-172 and 174-255 stand for themselves, the other 68 in
// ascending order for U+0100, U+0101, ... Source: openai/gpt-2, encoder.py, bytes_to_unicode().

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace longhaul::token {

/// The character that stands for a byte.
char32_t byte_to_char(uint8_t byte);
/// The byte that a character stands for, or nothing.
std::optional<uint8_t> char_to_byte(char32_t character);

/// "\x20hello" -> "Ġhello" (UTF-8).
std::string bytes_to_text(std::string_view bytes);
/// The inverse; nothing when a character is not of the alphabet.
std::optional<std::string> text_to_bytes(std::string_view text);

}  // namespace longhaul::token
