// SPDX-License-Identifier: BSD-3-Clause
// Classes of 64 bytes of text as masks; for cutter_simd.cpp, once for every SIMD target.
#include <algorithm>
#include <bit>
#include <cstring>

#include "lib/token/cutter.h"
#include "lib/token/scheme_rules.h"

#if defined(LONGHAUL_TOKEN_CUTTER_BLOCKS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LONGHAUL_TOKEN_CUTTER_BLOCKS_INL_H
#undef LONGHAUL_TOKEN_CUTTER_BLOCKS_INL_H
#else
#define LONGHAUL_TOKEN_CUTTER_BLOCKS_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace longhaul::token::detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<uint8_t, 64>;

constexpr size_t kBlock = 64;
/// Bytes that may be read from a block's begin: characters reach into the next one.
constexpr size_t kBlockReach = kBlock + 4;

/// Masks of the bytes of a block; all bytes of a character have its class.
struct Block {
    uint64_t letters = 0, numbers = 0, spaces = 0, others = 0;
    uint64_t blanks = 0;  // U+0020
    uint64_t breaks = 0;  // CR, LF
    uint64_t apostrophes = 0;
    uint64_t slashes = 0;
    uint64_t ascii_letters = 0, ascii_others = 0;
    uint64_t upper = 0, lower = 0;  // letters of one case only
    // DeepSeek: CJK, of any class. Of no other class: Kimi: Han; Falcon: punctuation.
    uint64_t apart = 0;
    uint64_t digits = 0;  // Falcon: those of ASCII, and what the byte alphabet shows as numbers
    uint64_t byte_digits = 0;
    uint64_t hard = 0;   // left to the scanner; lead bytes only
    uint64_t conts = 0;  // continuation bytes
};

/// `mask` moved up by one byte, as if the block before were below it.
HWY_INLINE uint64_t up(uint64_t mask, uint64_t before) {
    return mask << 1 | before >> 63;
}

/// Adds to `starts` the bits of `run` that follow them directly, up to the first that `run` lacks.
/// Start bits in the middle of a run must be bits of `run`.
HWY_INLINE uint64_t flood(uint64_t run, uint64_t starts) {
    return (run & ~(run + starts)) | starts;
}

/// Masks by comparing bytes, one vector after the other.
class Bytes {
 public:
    explicit Bytes(const char* text) : text_(reinterpret_cast<const uint8_t*>(text)) {}
    template <class Test>
    HWY_INLINE uint64_t where(Test test) const {
        const D d;
        uint64_t mask = 0;
        for (size_t first = 0; first < kBlock; first += hn::Lanes(d)) {
            uint64_t bits = 0;
            uint8_t bytes[8] = {};
            hn::StoreMaskBits(d, test(hn::LoadU(d, text_ + first)), bytes);
            std::memcpy(&bits, bytes, sizeof bits);
            mask |= bits << first;
        }
        return mask;
    }
    HWY_INLINE uint64_t equal(uint8_t byte) const {
        return where([&](auto bytes) { return hn::Eq(bytes, hn::Set(D(), byte)); });
    }
    HWY_INLINE uint64_t range(uint8_t first, uint8_t count) const {
        return where([&](auto bytes) { return in_range(bytes, first, count); });
    }
    /// Letters of both cases.
    HWY_INLINE uint64_t ascii_letters() const {
        return where(
            [&](auto bytes) { return in_range(hn::Or(bytes, hn::Set(D(), 0x20)), 'a', 26); });
    }

 private:
    template <class V>
    static HWY_INLINE auto in_range(V bytes, uint8_t first, uint8_t count) {
        const auto offset = hn::Sub(bytes, hn::Set(D(), first));
        return hn::Eq(hn::Min(offset, hn::Set(D(), static_cast<uint8_t>(count - 1))), offset);
    }
    const uint8_t* text_;
};

/// Code point of a well-formed character; of anything else, some number below 0x200000.
HWY_INLINE char32_t decode_wide(const char* text) {
    uint32_t bytes = 0;
    std::memcpy(&bytes, text, sizeof bytes);
    const auto bits = [&](int byte, int shift) { return (bytes >> (8 * byte) & 0x3F) << shift; };
    const uint32_t lead = bytes & 0xFF;
    if (lead < 0xE0) return (lead & 0x1F) << 6 | bits(1, 0);
    if (lead < 0xF0) return (lead & 0x0F) << 12 | bits(1, 6) | bits(2, 0);
    return (lead & 0x07) << 18 | bits(1, 12) | bits(2, 6) | bits(3, 0);
}

/// Classes of the characters outside ASCII whose lead bytes are `leads`.
template <Scheme kScheme>
HWY_INLINE void look_up(const char* text, uint64_t leads, const uint8_t* classes, Block& block) {
    constexpr bool kHasCase = rules_of(kScheme).family == Family::kO200k;
    for (; leads != 0; leads &= leads - 1) {
        const uint64_t bit = leads & (~leads + 1);
        const char32_t c = decode_wide(text + std::countr_zero(leads));
        const uint8_t found = c < kNumClasses ? classes[c]
                              : c < 0x110000  ? cut_class(kScheme, c)
                                              : uint8_t{0};
        const auto bit_if = [&](uint8_t flag) { return found & flag ? bit : 0; };
        if constexpr (kHasCase) {
            block.upper |= bit_if(kCutUpper);
            block.lower |= bit_if(kCutLower);
        }
        if (HWY_LIKELY((found & ~(kCutUpper | kCutLower)) == kCutLetter)) {
            block.letters |= bit;
            continue;
        }
        block.letters |= bit_if(kCutLetter);
        block.numbers |= bit_if(kCutNumber);
        block.spaces |= bit_if(kCutSpace);
        block.apart |= bit_if(kCutApart);
        block.hard |= bit_if(kCutHard);
    }
}

/// Adds what is not ASCII. @param high bytes from 0x80 on
template <Scheme kScheme>
HWY_NOINLINE void classify_wide(const char* text, uint64_t high, const uint8_t* classes,
                                const Block& before, Block& block) {
    constexpr Family kFamily = rules_of(kScheme).family;
    const Bytes bytes(text);
    block.conts = bytes.range(0x80, 0x40);
    if (rules_of(kScheme).cuts_bytes) {
        block.byte_digits |= bytes.range(0xB2, 2) | bytes.equal(0xB9) | bytes.range(0xBC, 3);
    }
    uint64_t leads = high & ~block.conts;
    // U+5000 to U+9FFF (DeepSeek: to U+8FFF) are Han letters, U+B000 to U+CFFF Hangul.
    const uint64_t han = leads & bytes.range(0xE5, kFamily == Family::kDeepSeek ? 4 : 5);
    uint64_t letters = leads & bytes.range(0xEB, 2);
    if (rules_of(kScheme).has_han) {
        block.apart |= han;
    } else {
        letters |= han;
        if (kFamily == Family::kDeepSeek) block.apart |= han;
    }
    // U+0400 to U+047F are letters of Cyrillic.
    if (kFamily != Family::kO200k) letters |= leads & bytes.range(0xD0, 2);
    block.letters |= letters;
    look_up<kScheme>(text, leads & ~(letters | han), classes, block);
    // From lead bytes to whole characters.
    const auto fill = [&](uint64_t& mask, uint64_t mask_before) {
        mask |= flood(block.conts, up(mask & high, mask_before) & block.conts);
    };
    fill(block.letters, before.letters);
    fill(block.numbers, before.numbers);
    fill(block.spaces, before.spaces);
    fill(block.apart, before.apart);
    if (kFamily == Family::kO200k) {
        fill(block.upper, before.upper);
        fill(block.lower, before.lower);
    }
}

/// Masks of the 64 bytes at `text`, of which kBlockReach can be read.
template <Scheme kScheme>
HWY_INLINE Block classify(const char* text, const uint8_t* classes, const Block& before) {
    constexpr Rules kRules = rules_of(kScheme);
    const Bytes bytes(text);
    Block block;
    block.letters = block.ascii_letters = bytes.ascii_letters();
    block.numbers = bytes.range('0', 10);
    block.blanks = bytes.equal(' ');
    block.spaces = bytes.range('\t', 5) | block.blanks;
    if (kRules.family != Family::kGpt2) block.breaks = bytes.equal('\n') | bytes.equal('\r');
    if (kRules.has_contractions) block.apostrophes = bytes.equal('\'');
    if (kRules.others_take_slash) block.slashes = bytes.equal('/');
    if (kRules.family == Family::kO200k) {
        block.upper = bytes.range('A', 26);
        block.lower = block.letters & ~block.upper;
    }
    if (kRules.family == Family::kDeepSeek) {
        block.hard = bytes.range(0, 0x20) & ~block.spaces;
        block.hard |= bytes.equal(0x7F);
    }
    if (kRules.cuts_bytes) {
        block.digits = block.byte_digits = block.numbers;
        block.apart = ~(block.letters | block.numbers | block.spaces | bytes.range(0, 0x20) |
                        bytes.range(0x7F, 0x81));
    }
    const uint64_t high = bytes.range(0x80, 0x80);
    block.ascii_others = ~(block.letters | block.numbers | block.spaces | block.hard | high);
    if (high != 0) classify_wide<kScheme>(text, high, classes, before, block);
    block.others = ~(block.letters | block.numbers | block.spaces);
    if (kRules.has_han || kRules.cuts_bytes) block.others &= ~block.apart;
    return block;
}

/// The masks of a block of which only the first `size` bytes are text. Beyond, everything is white
/// space, so that the last run of it looks as if it went on.
template <Scheme kScheme>
Block classify_end(const char* text, size_t size, const uint8_t* classes, const Block& before) {
    char padded[kBlockReach] = {};
    std::memcpy(padded, text, std::min(size, kBlockReach));
    Block block = classify<kScheme>(padded, classes, before);
    if (size >= kBlock) return block;
    const uint64_t text_bits = (uint64_t{1} << size) - 1;
    block.others &= text_bits;
    block.ascii_others &= text_bits;
    block.hard &= text_bits;
    block.spaces |= ~text_bits;
    return block;
}

}  // namespace HWY_NAMESPACE
}  // namespace longhaul::token::detail
HWY_AFTER_NAMESPACE();

#endif
