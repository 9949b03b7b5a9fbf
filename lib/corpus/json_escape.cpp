// SPDX-License-Identifier: BSD-3-Clause
// Compiled once for every SIMD target (Highway includes this file again for each).
#include "lib/corpus/json_escape.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/corpus/json_escape.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#ifndef LH_CORPUS_JSON_ESCAPE_TABLES
#define LH_CORPUS_JSON_ESCAPE_TABLES
namespace longhaul::corpus::detail {

/// The letter behind the backslash; 0 where the character needs no escape, 'u' where it has no
/// short one.
constexpr std::array<char, 256> make_letters() {
    std::array<char, 256> table{};
    for (size_t i = 0; i < 0x20; ++i) table[i] = 'u';
    constexpr std::string_view kFrom = "\"\\\b\f\n\r\t", kTo = "\"\\bfnrt";
    for (size_t i = 0; i < kFrom.size(); ++i) table[static_cast<uint8_t>(kFrom[i])] = kTo[i];
    return table;
}
inline constexpr std::array<char, 256> kLetters = make_letters();

/// Writes one character. @return the end of what was written
inline char* put_escaped(char c, char* out) {
    const char letter = kLetters[static_cast<uint8_t>(c)];
    if (letter == 0) {
        *out++ = c;
        return out;
    }
    *out++ = '\\';
    *out++ = letter;
    if (letter != 'u') return out;
    *out++ = '0';
    *out++ = '0';
    *out++ = static_cast<char>('0' + (c >> 4));
    *out++ = "0123456789abcdef"[c & 0x0F];
    return out;
}

}  // namespace longhaul::corpus::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace longhaul::corpus::detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

size_t escape(std::string_view text, char* out) {
    using D = hn::CappedTag<uint8_t, 64>;
    const D d;
    const size_t lanes = hn::Lanes(d);
    const auto quote = hn::Set(d, '"'), backslash = hn::Set(d, '\\');
    const auto last_control = hn::Set(d, 0x1F);
    const char* p = text.data();
    const char* const end = p + text.size();
    char* to = out;
    while (lanes >= 16 && end - p >= static_cast<ptrdiff_t>(lanes)) {
        const auto bytes = hn::LoadU(d, reinterpret_cast<const uint8_t*>(p));
        hn::StoreU(bytes, d, reinterpret_cast<uint8_t*>(to));
        const auto is_special = hn::Or(hn::Or(hn::Eq(bytes, quote), hn::Eq(bytes, backslash)),
                                       hn::Eq(hn::Min(bytes, last_control), bytes));
        const intptr_t first = hn::FindFirstTrue(d, is_special);
        if (first < 0) {
            p += lanes;
            to += lanes;
            continue;
        }
        p += first;
        to = put_escaped(*p++, to + first);
    }
    while (p < end) to = put_escaped(*p++, to);
    return static_cast<size_t>(to - out);
}

}  // namespace HWY_NAMESPACE
}  // namespace longhaul::corpus::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::corpus::detail {

HWY_EXPORT(escape);

size_t escape_json(std::string_view text, char* out) {
    return HWY_DYNAMIC_DISPATCH(escape)(text, out);
}

}  // namespace longhaul::corpus::detail
#endif  // HWY_ONCE
