// SPDX-License-Identifier: BSD-3-Clause
// Validation of UTF-8 by table look-ups. @source Keiser, Lemire: "Validating UTF-8 In Less Than One
// Instruction Per Byte", Software: Practice and Experience 51(5), 2021 (arXiv:2010.03090).
#include <algorithm>
#include <cstring>

#include "lib/text/unicode.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/text/utf8_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace longhaul::text {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
// No vectors here: nothing is won by tables.
bool check_utf8(std::string_view text) {
    for (size_t i = 0; i < text.size();) {
        const Decoded decoded = decode_utf8(text, i);
        if (!decoded.is_valid) return false;
        i += decoded.length;
    }
    return true;
}
#else
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<uint8_t, 64>;
using V = hn::Vec<D>;

// What a pair of neighbouring bytes may be wrong about; a pair is wrong when all three tables agree
// on one of them.
constexpr uint8_t kTooShort = 1 << 0;   // a lead byte without what must follow
constexpr uint8_t kTooLong = 1 << 1;    // ASCII followed by a continuation
constexpr uint8_t kOverlong3 = 1 << 2;  // 11100000 100_____
constexpr uint8_t kTooLarge = 1 << 3;   // above U+10FFFF
constexpr uint8_t kSurrogate = 1 << 4;  // 11101101 101_____
constexpr uint8_t kOverlong2 = 1 << 5;  // 1100000_ 10______
constexpr uint8_t kTooLarge1000 = 1 << 6;
constexpr uint8_t kOverlong4 = 1 << 6;  // 11110000 1000____
constexpr uint8_t kTwoConts = 1 << 7;   // a continuation after another: right only in long forms
constexpr uint8_t kCarry = kTooShort | kTooLong | kTwoConts;

alignas(16) constexpr uint8_t kFirstHigh[16] = {kTooLong,
                                                kTooLong,
                                                kTooLong,
                                                kTooLong,
                                                kTooLong,
                                                kTooLong,
                                                kTooLong,
                                                kTooLong,
                                                kTwoConts,
                                                kTwoConts,
                                                kTwoConts,
                                                kTwoConts,
                                                kTooShort | kOverlong2,
                                                kTooShort,
                                                kTooShort | kOverlong3 | kSurrogate,
                                                kTooShort | kTooLarge | kTooLarge1000 | kOverlong4};
alignas(16) constexpr uint8_t kFirstLow[16] = {kCarry | kOverlong3 | kOverlong2 | kOverlong4,
                                               kCarry | kOverlong2,
                                               kCarry,
                                               kCarry,
                                               kCarry | kTooLarge,
                                               kCarry | kTooLarge | kTooLarge1000,
                                               kCarry | kTooLarge | kTooLarge1000,
                                               kCarry | kTooLarge | kTooLarge1000,
                                               kCarry | kTooLarge | kTooLarge1000,
                                               kCarry | kTooLarge | kTooLarge1000,
                                               kCarry | kTooLarge | kTooLarge1000,
                                               kCarry | kTooLarge | kTooLarge1000,
                                               kCarry | kTooLarge | kTooLarge1000,
                                               kCarry | kTooLarge | kTooLarge1000 | kSurrogate,
                                               kCarry | kTooLarge | kTooLarge1000,
                                               kCarry | kTooLarge | kTooLarge1000};
alignas(16) constexpr uint8_t kSecondHigh[16] = {
    kTooShort,
    kTooShort,
    kTooShort,
    kTooShort,
    kTooShort,
    kTooShort,
    kTooShort,
    kTooShort,
    kTooLong | kOverlong2 | kTwoConts | kOverlong3 | kTooLarge1000 | kOverlong4,
    kTooLong | kOverlong2 | kTwoConts | kOverlong3 | kTooLarge,
    kTooLong | kOverlong2 | kTwoConts | kSurrogate | kTooLarge,
    kTooLong | kOverlong2 | kTwoConts | kSurrogate | kTooLarge,
    kTooShort,
    kTooShort,
    kTooShort,
    kTooShort};

/// Not zero where the vector at `p` is wrong; the three bytes before it are read too.
HWY_INLINE V errors_at(const uint8_t* p) {
    const D d;
    const V low_half = hn::Set(d, 0x0F);
    const V bytes = hn::LoadU(d, p);
    const V before1 = hn::LoadU(d, p - 1);
    const V before2 = hn::LoadU(d, p - 2);
    const V before3 = hn::LoadU(d, p - 3);
    const V first_high =
        hn::TableLookupBytes(hn::LoadDup128(d, kFirstHigh), hn::ShiftRight<4>(before1));
    const V first_low =
        hn::TableLookupBytes(hn::LoadDup128(d, kFirstLow), hn::And(before1, low_half));
    const V second_high =
        hn::TableLookupBytes(hn::LoadDup128(d, kSecondHigh), hn::ShiftRight<4>(bytes));
    const V wrong = hn::And(hn::And(first_high, first_low), second_high);
    // Bit 7 where a third or fourth byte must stand.
    const V is_third = hn::SaturatedSub(before2, hn::Set(d, 0xE0 - 0x80));
    const V is_fourth = hn::SaturatedSub(before3, hn::Set(d, 0xF0 - 0x80));
    const V must = hn::And(hn::Or(is_third, is_fourth), hn::Set(d, 0x80));
    return hn::Xor(must, wrong);
}

bool check_utf8(std::string_view text) {
    const D d;
    const size_t lanes = hn::Lanes(d);
    const V zero = hn::Zero(d);
    const V top = hn::Set(d, 0x80);
    const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data());
    V errors = zero;
    // The begin and the end stand between zeros in a buffer; a zero after a cut character is wrong.
    HWY_ALIGN uint8_t edge[3 * 64 + 3] = {};
    const size_t head = std::min(text.size(), lanes);
    if (head > 0) std::memcpy(edge + 3, bytes, head);
    errors = hn::Or(errors, errors_at(edge + 3));
    if (head == text.size()) {
        errors = hn::Or(errors, errors_at(edge + 3 + lanes));
        return hn::AllTrue(d, hn::Eq(errors, zero));
    }
    bool is_pending = true;  // the last bytes may begin a character
    size_t i = lanes;
    for (; i + lanes <= text.size(); i += lanes) {
        const bool is_ascii = hn::AllTrue(d, hn::Eq(hn::And(hn::LoadU(d, bytes + i), top), zero));
        if (!is_ascii || is_pending) errors = hn::Or(errors, errors_at(bytes + i));
        is_pending = !is_ascii;
    }
    std::memset(edge, 0, sizeof edge);
    std::memcpy(edge, bytes + i - 3, text.size() - i + 3);
    errors = hn::Or(errors, errors_at(edge + 3));
    return hn::AllTrue(d, hn::Eq(errors, zero));
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace longhaul::text
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::text {

HWY_EXPORT(check_utf8);

bool is_valid_utf8(std::string_view text) {
    return HWY_DYNAMIC_DISPATCH(check_utf8)(text);
}

}  // namespace longhaul::text
#endif  // HWY_ONCE
