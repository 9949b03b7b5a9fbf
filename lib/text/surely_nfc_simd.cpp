// SPDX-License-Identifier: BSD-3-Clause
// The quick check for NFC (UAX 15, section 9), compiled once for every SIMD target: vectors find
// the lead bytes of characters that need a look, and a bitmap is asked about those.
#include <bit>
#include <cstring>
#include <vector>

#include "lib/text/normalization_forms.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/text/surely_nfc_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace longhaul::text {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<uint8_t, 64>;

template <class V>
HWY_INLINE auto in_range(V bytes, uint8_t first, uint8_t count) {
    const auto offset = hn::Sub(bytes, hn::Set(D(), first));
    return hn::Eq(hn::Min(offset, hn::Set(D(), static_cast<uint8_t>(count - 1))), offset);
}

/// Bits of the bytes that begin a character which may change.
HWY_INLINE uint64_t doubtful(const uint8_t* text) {
    const D d;
    const auto bytes = hn::LoadU(d, text);
    // Nothing below U+0300 changes, nor U+0400-047F, U+4000-9FFF (Han) and U+B000-CFFF (Hangul).
    const auto is_high = in_range(bytes, 0xCC, 0x100 - 0xCC);
    const auto is_calm = hn::Or(in_range(bytes, 0xD0, 2),
                                hn::Or(in_range(bytes, 0xE4, 6), in_range(bytes, 0xEB, 2)));
    uint64_t bits = 0;
    uint8_t mask[8] = {};
    hn::StoreMaskBits(d, hn::AndNot(is_calm, is_high), mask);
    std::memcpy(&bits, mask, sizeof bits);
    return bits;
}

/// @param unstable a bit for each code point below `limit`
bool check_nfc(std::string_view text, const uint64_t* unstable, char32_t limit) {
    const size_t lanes = hn::Lanes(D());
    HWY_ALIGN uint8_t end[64] = {};
    for (size_t begin = 0; begin < text.size(); begin += lanes) {
        const auto* block = reinterpret_cast<const uint8_t*>(text.data()) + begin;
        if (begin + lanes > text.size()) {
            std::memcpy(end, block, text.size() - begin);
            block = end;
        }
        for (uint64_t left = doubtful(block); left != 0; left &= left - 1) {
            const size_t at = begin + static_cast<size_t>(std::countr_zero(left));
            const Decoded found = decode_utf8(text, at);
            const char32_t c = found.code_point;
            if (!found.is_valid) return false;
            if (c < limit && (unstable[c / 64] >> (c % 64) & 1) != 0) return false;
        }
    }
    return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace longhaul::text
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::text {

namespace {

constexpr char32_t kLimit = 0x30000;  // what is above neither combines nor decomposes

/// A bit for each character that NFC may change, alone or behind another one.
std::vector<uint64_t> find_unstable() {
    std::vector<uint64_t> unstable(kLimit / 64);
    const auto set = [&](char32_t c) { unstable[c / 64] |= uint64_t{1} << (c % 64); };
    for (size_t i = 0; i < tables::kNumCombining; ++i) set(tables::kCombining[i].code_point);
    for (size_t i = 0; i < tables::kNumCompositions; ++i) set(tables::kCompositions[i].second);
    for (size_t i = 0; i < tables::kNumDecompositions; ++i) {
        const char32_t c = tables::kDecompositions[i].from;
        std::string alone;
        append_utf8(c, alone);
        if (nfc(alone, UnicodeData::k16) != alone || nfc(alone, UnicodeData::k9) != alone) set(c);
    }
    for (char32_t c = 0x1161; c <= 0x1175; ++c) set(c);  // vowels of Hangul
    for (char32_t c = 0x11A8; c <= 0x11C2; ++c) set(c);  // and trailing consonants
    return unstable;
}

}  // namespace

HWY_EXPORT(check_nfc);

bool is_surely_nfc(std::string_view text) {
    static const std::vector<uint64_t> unstable = find_unstable();
    return HWY_DYNAMIC_DISPATCH(check_nfc)(text, unstable.data(), kLimit);
}

}  // namespace longhaul::text
#endif  // HWY_ONCE
