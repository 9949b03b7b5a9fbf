// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/byte_level.h"

#include <array>

#include "lib/text/unicode.h"

namespace longhaul::token {

namespace {

constexpr bool is_own_character(unsigned byte) {
    return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

struct Alphabet {
    std::array<char32_t, 256> to_char{};
    std::array<int16_t, 0x100 + 68> to_byte{};

    constexpr Alphabet() {
        for (auto& byte : to_byte) byte = -1;
        char32_t next = 0x100;
        for (unsigned byte = 0; byte < 256; ++byte) {
            to_char[byte] = is_own_character(byte) ? static_cast<char32_t>(byte) : next++;
            to_byte[to_char[byte]] = static_cast<int16_t>(byte);
        }
    }
};
constexpr Alphabet kAlphabet;

}  // namespace

char32_t byte_to_char(uint8_t byte) {
    return kAlphabet.to_char[byte];
}

std::optional<uint8_t> char_to_byte(char32_t character) {
    if (character >= kAlphabet.to_byte.size() || kAlphabet.to_byte[character] < 0) {
        return std::nullopt;
    }
    return static_cast<uint8_t>(kAlphabet.to_byte[character]);
}

std::string bytes_to_text(std::string_view bytes) {
    std::string out;
    for (const char byte : bytes) text::append_utf8(byte_to_char(static_cast<uint8_t>(byte)), out);
    return out;
}

std::optional<std::string> text_to_bytes(std::string_view text) {
    std::string out;
    for (size_t position = 0; position < text.size();) {
        const text::Decoded decoded = text::decode_utf8(text, position);
        const auto byte = char_to_byte(decoded.code_point);
        if (!decoded.is_valid || !byte) return std::nullopt;
        out.push_back(static_cast<char>(*byte));
        position += decoded.length;
    }
    return out;
}

}  // namespace longhaul::token
