// SPDX-License-Identifier: BSD-3-Clause
#include "lib/token/json_score.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace longhaul::token {

double score_of_serde(double value) {
    if (!std::isfinite(value)) return value;
    std::array<char, 64> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(value),
                                   std::chars_format::scientific);
    uint64_t digits = 0;
    int exponent = 0;
    bool is_fraction = false;
    const std::string_view text(buffer.data(), static_cast<size_t>(end.ptr - buffer.data()));
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '.') {
            is_fraction = true;
        } else if (text[i] == 'e') {
            int shown = 0;
            const size_t first = i + (text[i + 1] == '+' ? 2 : 1);
            std::from_chars(text.data() + first, text.data() + text.size(), shown);
            exponent += shown;
            break;
        } else {
            digits = digits * 10 + static_cast<uint64_t>(text[i] - '0');
            if (is_fraction) --exponent;
        }
    }
    // Written out in full: 12.5 and 1250 have digits 125, exponents -1 and 1; serde_json reads
    // 1250.0 as digits 12500 and exponent -1, which is exact either way.
    auto result = static_cast<double>(digits);
    for (; exponent < -308; exponent += 308) result /= 1e308;
    if (exponent >= 0) {
        result *= std::pow(10.0, exponent);
    } else {
        result /= std::pow(10.0, -exponent);
    }
    return std::signbit(value) ? -result : result;
}

}  // namespace longhaul::token
