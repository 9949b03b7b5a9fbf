// SPDX-License-Identifier: BSD-3-Clause
// Compiled once for every SIMD target (Highway includes this file again for each).
#include "lib/corpus/json_strings.h"

#include <array>
#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/corpus/json_strings.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#ifndef LH_CORPUS_JSON_STRINGS_TABLES
#define LH_CORPUS_JSON_STRINGS_TABLES
namespace longhaul::corpus::detail {

/// What the character behind a backslash stands for; 0 where there is no such escape or it is 'u'.
constexpr std::array<char, 256> make_escapes() {
    std::array<char, 256> table{};
    constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
    for (size_t i = 0; i < kFrom.size(); ++i) {
        table[static_cast<unsigned char>(kFrom[i])] = kTo[i];
    }
    return table;
}
inline constexpr std::array<char, 256> kEscapes = make_escapes();

inline bool is_hex_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Bytes of the escape at `p`, 0 for one that is not valid.
inline size_t escape_length(const char* p, const char* end) {
    if (end - p < 2) return 0;
    if (kEscapes[static_cast<unsigned char>(p[1])] != 0) return 2;
    if (p[1] != 'u' || end - p < 6) return 0;
    return is_hex_digit(p[2]) && is_hex_digit(p[3]) && is_hex_digit(p[4]) && is_hex_digit(p[5]) ? 6
                                                                                                : 0;
}

/// Decodes the escape at `p`; both positions move behind it.
void decode_escape(const char*& p, const char* end, char*& out, uint32_t& num_lone);

}  // namespace longhaul::corpus::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace longhaul::corpus::detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<uint8_t, 64>;

template <class Mask>
uint64_t bits_of(Mask mask) {
    uint64_t bits = 0;
    uint8_t bytes[8] = {};
    hn::StoreMaskBits(D(), mask, bytes);
    std::memcpy(&bits, bytes, sizeof bits);
    return bits;
}

const char* SkipString(const char* p, const char* end, bool& has_escapes) {
    const D d;
    const auto lanes = static_cast<ptrdiff_t>(hn::Lanes(d));
    const auto quote = hn::Set(d, '"');
    const auto backslash = hn::Set(d, '\\');
    const auto last_control = hn::Set(d, 0x1F);
    while (end - p >= lanes) {
        const char* const base = p;
        const auto bytes = hn::LoadU(d, reinterpret_cast<const uint8_t*>(base));
        const auto is_special = hn::Or(hn::Or(hn::Eq(bytes, quote), hn::Eq(bytes, backslash)),
                                       hn::Eq(hn::Min(bytes, last_control), bytes));
        p += lanes;
        for (uint64_t special = bits_of(is_special); special != 0;) {
            const char* const at = base + std::countr_zero(special);
            if (*at != '\\') return at;
            const size_t length = escape_length(at, end);
            if (length == 0) return at;
            has_escapes = true;
            const auto behind = at + length - base;
            if (behind >= lanes) {
                p = base + behind;
                break;
            }
            special &= ~uint64_t{0} << behind;
        }
    }
    return p;
}

size_t DecodeString(std::string_view escaped, char* out, uint32_t& num_lone) {
    const D d;
    const auto lanes = static_cast<ptrdiff_t>(hn::Lanes(d));
    const auto backslash = hn::Set(d, '\\');
    const char* p = escaped.data();
    const char* const end = p + escaped.size();
    char* to = out;
    while (end - p >= lanes) {
        const auto bytes = hn::LoadU(d, reinterpret_cast<const uint8_t*>(p));
        hn::StoreU(bytes, d, reinterpret_cast<uint8_t*>(to));
        const uint64_t found = bits_of(hn::Eq(bytes, backslash));
        const auto plain = found == 0 ? lanes : std::countr_zero(found);
        p += plain;
        to += plain;
        if (found == 0) continue;
        const char simple = kEscapes[static_cast<unsigned char>(p[1])];
        if (simple != 0) {
            *to++ = simple;
            p += 2;
        } else {
            decode_escape(p, end, to, num_lone);
        }
    }
    while (p < end) {
        if (*p == '\\') {
            decode_escape(p, end, to, num_lone);
        } else {
            *to++ = *p++;
        }
    }
    return static_cast<size_t>(to - out);
}

}  // namespace HWY_NAMESPACE
}  // namespace longhaul::corpus::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::corpus::detail {

namespace {

uint32_t hex4(const char* p) {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
        const char c = p[i];
        const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
        value = value << 4 | static_cast<uint32_t>(digit);
    }
    return value;
}

char* put_utf8(char32_t c, char* out) {
    const auto put = [&](char32_t value) { *out++ = static_cast<char>(value); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0 | c >> 6);
        put(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        put(0xE0 | c >> 12);
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    } else {
        put(0xF0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3F));
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    }
    return out;
}

}  // namespace

void decode_escape(const char*& p, const char* end, char*& out, uint32_t& num_lone) {
    if (p[1] != 'u') {
        *out++ = kEscapes[static_cast<unsigned char>(p[1])];
        p += 2;
        return;
    }
    char32_t unit = hex4(p + 2);
    p += 6;
    if (unit >= 0xD800 && unit < 0xDC00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
        const char32_t second = hex4(p + 2);
        if (second >= 0xDC00 && second <= 0xDFFF) {
            out = put_utf8(0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00), out);
            p += 6;
            return;
        }
    }
    if (unit >= 0xD800 && unit <= 0xDFFF) {
        ++num_lone;
        unit = 0xFFFD;
    }
    out = put_utf8(unit, out);
}

HWY_EXPORT(SkipString);
HWY_EXPORT(DecodeString);

const char* skip_string_content(const char* p, const char* end, bool& has_escapes) {
    return HWY_DYNAMIC_DISPATCH(SkipString)(p, end, has_escapes);
}

size_t decode_json_string(std::string_view escaped, char* out, uint32_t& num_lone) {
    num_lone = 0;
    return HWY_DYNAMIC_DISPATCH(DecodeString)(escaped, out, num_lone);
}

}  // namespace longhaul::corpus::detail
#endif  // HWY_ONCE
