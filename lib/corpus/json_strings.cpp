// SPDX-License-Identifier: BSD-3-Clause
// Compiled once for every SIMD target (Highway includes this file again for each).
#include "lib/corpus/json_strings.h"
#include "lib/text/unicode.h"

#include <array>
#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/corpus/json_strings.cpp"
#define HWY_WANT_AVX3_DL 1       // has an instruction that removes bytes
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

#if HWY_TARGET <= HWY_AVX3_DL
HWY_INLINE auto mask_of(uint64_t bits) {
    uint8_t bytes[8];
    std::memcpy(bytes, &bits, sizeof bytes);
    return hn::LoadMaskBits(D(), bytes);
}
#endif

/// The `count` lowest bits; count <= 64.
HWY_INLINE uint64_t low_bits(size_t count) {
    return count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

/// Of the bytes whose bits are set in `backslashes`, those that begin an escape, given that the
/// first byte of the block is not escaped itself: every other one in a run of them.
HWY_INLINE uint64_t escape_begins(uint64_t backslashes) {
    constexpr uint64_t kEven = 0x5555555555555555;
    const uint64_t behind = backslashes << 1;
    const uint64_t odd_begins = backslashes & ~kEven & ~behind;
    // Runs that begin at an odd place: the sum carries through them and flips what follows.
    const uint64_t flipped = (odd_begins + backslashes) << 1;
    const uint64_t escaped = (kEven ^ flipped) & behind;
    return backslashes & ~escaped;
}

template <class V>
auto is_simple_escape(V bytes) {
    const D d;
    auto result = hn::Eq(bytes, hn::Set(d, '"'));
    for (const char c : {'\\', '/', 'b', 'f', 'n', 'r', 't'}) {
        result = hn::Or(result, hn::Eq(bytes, hn::Set(d, static_cast<uint8_t>(c))));
    }
    return result;
}

/// As skip_string_content, from `p` up to the end of one vector, escape after escape.
HWY_INLINE const char* skip_escapes(const char* p, const char* end, uint64_t special,
                                    bool& is_special) {
    const auto lanes = static_cast<ptrdiff_t>(hn::Lanes(D()));
    is_special = true;
    while (special != 0) {
        const char* const at = p + std::countr_zero(special);
        if (*at != '\\') return at;
        const size_t length = escape_length(at, end);
        if (length == 0) return at;
        const auto behind = at + length - p;
        if (behind >= lanes) {
            is_special = false;
            return p + behind;
        }
        special &= ~uint64_t{0} << behind;
    }
    is_special = false;
    return p + lanes;
}

const char* skip_string(const char* p, const char* end, bool& has_escapes) {
    const D d;
    const size_t lanes = hn::Lanes(d);
    if (lanes < 16) return p;  // no vectors here
    const auto quote = hn::Set(d, '"');
    const auto backslash = hn::Set(d, '\\');
    const auto last_control = hn::Set(d, 0x1F);
    while (end - p >= static_cast<ptrdiff_t>(lanes)) {
        const auto bytes = hn::LoadU(d, reinterpret_cast<const uint8_t*>(p));
        const auto is_backslash = hn::Eq(bytes, backslash);
        const uint64_t ends =
            bits_of(hn::Or(hn::Eq(bytes, quote), hn::Eq(hn::Min(bytes, last_control), bytes)));
        const uint64_t backslashes = bits_of(is_backslash);
        if (backslashes == 0) {
            if (ends != 0) return p + std::countr_zero(ends);
            p += lanes;
            continue;
        }
        const uint64_t begins = escape_begins(backslashes);
        const uint64_t special = ends & ~(begins << 1);
        const uint64_t before = special == 0 ? ~uint64_t{0} : (special & -special) - 1;
        has_escapes = has_escapes || (begins & before) != 0;
        if ((begins << 1 & before & ~bits_of(is_simple_escape(bytes)) & low_bits(lanes)) != 0) {
            bool is_special = false;
            p = skip_escapes(p, end, ends | backslashes, is_special);
            if (is_special) return p;
            continue;
        }
        if (special != 0) return p + std::countr_zero(special);
        // An escape that begins with the last byte is looked at again.
        p += lanes - (begins >> (lanes - 1) & 1);
    }
    return p;
}

#if HWY_TARGET <= HWY_AVX3_DL
/// A vector with simple escapes at once; stops before one that is not.
HWY_INLINE void decode_vector(const char*& p, const char* end, char*& to, uint32_t& num_lone) {
    const D d;
    const size_t lanes = hn::Lanes(d);
    const auto bytes = hn::LoadU(d, reinterpret_cast<const uint8_t*>(p));
    const uint64_t backslashes = bits_of(hn::Eq(bytes, hn::Set(d, '\\')));
    if (backslashes == 0) {
        hn::StoreU(bytes, d, reinterpret_cast<uint8_t*>(to));
        p += lanes;
        to += lanes;
        return;
    }
    const uint64_t begins = escape_begins(backslashes);
    const uint64_t escaped = begins << 1;
    size_t size = lanes - (begins >> (lanes - 1) & 1);
    const uint64_t unicode = escaped & bits_of(hn::Eq(bytes, hn::Set(d, 'u')));
    if (unicode != 0) size = static_cast<size_t>(std::countr_zero(unicode)) - 1;
    auto plain = bytes;
    constexpr std::string_view kFrom = "bfnrt", kTo = "\b\f\n\r\t";
    for (size_t i = 0; i < kFrom.size(); ++i) {
        const auto is_it = hn::Eq(bytes, hn::Set(d, static_cast<uint8_t>(kFrom[i])));
        plain = hn::IfThenElse(is_it, hn::Set(d, static_cast<uint8_t>(kTo[i])), plain);
    }
    const auto text = hn::IfThenElse(mask_of(escaped), plain, bytes);
    const uint64_t kept = low_bits(size) & ~begins;
    hn::StoreU(hn::Compress(text, mask_of(kept)), d, reinterpret_cast<uint8_t*>(to));
    to += std::popcount(kept);
    p += size;
    if (unicode != 0) decode_escape(p, end, to, num_lone);
}
#else
/// Up to the first escape, which is decoded.
HWY_INLINE void decode_vector(const char*& p, const char* end, char*& to, uint32_t& num_lone) {
    const D d;
    const auto bytes = hn::LoadU(d, reinterpret_cast<const uint8_t*>(p));
    hn::StoreU(bytes, d, reinterpret_cast<uint8_t*>(to));
    const uint64_t found = bits_of(hn::Eq(bytes, hn::Set(d, '\\')));
    const size_t plain = found == 0 ? hn::Lanes(d) : static_cast<size_t>(std::countr_zero(found));
    p += plain;
    to += plain;
    if (found == 0) return;
    const char simple = kEscapes[static_cast<unsigned char>(p[1])];
    if (simple != 0) {
        *to++ = simple;
        p += 2;
    } else {
        decode_escape(p, end, to, num_lone);
    }
}
#endif

size_t decode_string(std::string_view escaped, char* out, uint32_t& num_lone) {
    const auto lanes = static_cast<ptrdiff_t>(hn::Lanes(D()));
    const char* p = escaped.data();
    const char* const end = p + escaped.size();
    char* to = out;
    while (end - p >= lanes) decode_vector(p, end, to, num_lone);
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
            out = text::put_utf8(0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00), out);
            p += 6;
            return;
        }
    }
    if (unit >= 0xD800 && unit <= 0xDFFF) {
        ++num_lone;
        unit = 0xFFFD;
    }
    out = text::put_utf8(unit, out);
}

HWY_EXPORT(skip_string);
HWY_EXPORT(decode_string);

const char* skip_string_content(const char* p, const char* end, bool& has_escapes) {
    return HWY_DYNAMIC_DISPATCH(skip_string)(p, end, has_escapes);
}

size_t decode_json_string(std::string_view escaped, char* out, uint32_t& num_lone) {
    num_lone = 0;
    return HWY_DYNAMIC_DISPATCH(decode_string)(escaped, out, num_lone);
}

size_t find_lone_surrogate(std::string_view escaped) {
    const char* const end = escaped.data() + escaped.size();
    for (size_t at = escaped.find('\\'); at < escaped.size();) {
        const char* p = escaped.data() + at;
        char room[8];
        char* out = room;
        uint32_t num_lone = 0;
        decode_escape(p, end, out, num_lone);
        if (num_lone > 0) return at;
        at = escaped.find('\\', static_cast<size_t>(p - escaped.data()));
    }
    return std::string_view::npos;
}

}  // namespace longhaul::corpus::detail
#endif  // HWY_ONCE
