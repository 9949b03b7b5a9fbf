// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/base64.h"

#include <array>
#include <cstdint>

namespace longhaul::token {

std::optional<std::string> decode_base64(std::string_view text) {
    static constexpr auto kValues = [] {
        std::array<int8_t, 256> values{};
        for (auto& value : values) value = -1;
        const std::string_view digits =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        for (size_t i = 0; i < digits.size(); ++i) {
            values[static_cast<uint8_t>(digits[i])] = static_cast<int8_t>(i);
        }
        return values;
    }();
    if (text.empty() || text.size() % 4 != 0) return std::nullopt;
    size_t padding = 0;
    while (padding < 2 && text.ends_with('=')) {
        text.remove_suffix(1);
        ++padding;
    }
    std::string out;
    uint32_t bits = 0;
    int num_bits = 0;
    for (const char c : text) {
        const int8_t value = kValues[static_cast<uint8_t>(c)];
        if (value < 0) return std::nullopt;
        bits = bits << 6 | static_cast<uint32_t>(value);
        num_bits += 6;
        if (num_bits >= 8) {
            num_bits -= 8;
            out.push_back(static_cast<char>(bits >> num_bits & 0xFF));
        }
    }
    return out;
}

}  // namespace longhaul::token
