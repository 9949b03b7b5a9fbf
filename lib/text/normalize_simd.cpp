// SPDX-License-Identifier: BSD-3-Clause
// Compiled once for every SIMD target (Highway includes this file again for each). Classes of
// characters become 64-bit masks, one bit a byte; what a rule says about neighbours is then a
// matter of shifts, without a branch on any character.
#include "lib/text/normalize_simd.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "lib/text/normalize.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/text/normalize_simd.cpp"
#define HWY_WANT_AVX3_DL 1       // has an instruction that removes bytes
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace longhaul::text::detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<uint8_t, kBlock>;
constexpr size_t kLanes = hn::MaxLanes(D());

/// Bits of a mask over the vector that begins at byte `first` of a block.
template <class Mask>
uint64_t bits_of(Mask mask, size_t first) {
    uint64_t bits = 0;
    uint8_t bytes[8] = {};
    hn::StoreMaskBits(D(), mask, bytes);
    std::memcpy(&bits, bytes, sizeof bits);
    return bits << first;
}

/// Masks of one block, and its bytes as they are written.
struct AsciiBlock {
    uint64_t high = 0;  // not ASCII
    uint64_t letters = 0;
    uint64_t digits = 0;
    uint64_t separators = 0;  // '.' and ','
    HWY_ALIGN uint8_t bytes[2 * kBlock];
};

template <class V>
auto in_range(V value, uint8_t first, uint8_t count) {
    const auto offset = hn::Sub(value, hn::Set(D(), first));
    return hn::Eq(hn::Min(offset, hn::Set(D(), static_cast<uint8_t>(count - 1))), offset);
}

HWY_INLINE void classify(const char* text, AsciiBlock& block) {
    const D d;
    block.high = block.letters = block.digits = block.separators = 0;
    for (size_t first = 0; first < kBlock; first += kLanes) {
        const auto bytes = hn::LoadU(d, reinterpret_cast<const uint8_t*>(text) + first);
        const auto lower = hn::Or(bytes, hn::Set(d, 0x20));
        const auto is_letter = in_range(lower, 'a', 26);
        const auto is_digit = in_range(bytes, '0', 10);
        const auto is_separator =
            hn::Or(hn::Eq(bytes, hn::Set(d, '.')), hn::Eq(bytes, hn::Set(d, ',')));
        const auto is_high = hn::Eq(hn::Max(bytes, hn::Set(d, 0x80)), bytes);
        block.high |= bits_of(is_high, first);
        block.letters |= bits_of(is_letter, first);
        block.digits |= bits_of(is_digit, first);
        block.separators |= bits_of(is_separator, first);
        const auto other = hn::IfThenElse(is_digit, hn::Set(d, '0'), hn::Set(d, ' '));
        hn::Store(hn::IfThenElse(is_letter, lower, other), d, block.bytes + first);
    }
}

/// The `count` lowest bits; count <= 64.
HWY_INLINE uint64_t low_bits(size_t count) {
    return count == kBlock ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

/// Where the run of ones in `mask` that holds bit `at` begins.
HWY_INLINE size_t run_begin(uint64_t mask, size_t at) {
    return kBlock - static_cast<size_t>(std::countl_zero(~mask & low_bits(at)));
}

/// Bits of the digits and inner separators of all numbers \p{Nd}+([.,]\p{Nd}+)? among the first
/// `size` bytes. Reduces `size` to leave a number to the next block or to the caller: one with two
/// separators, whose pairing is a matter of order, and one that may go on behind the block.
HWY_INLINE uint64_t find_numbers(const AsciiBlock& block, bool is_end, size_t& size) {
    const uint64_t digits = block.digits & low_bits(size);
    const uint64_t inner = block.separators & digits << 1 & digits >> 1;
    // Adding the first bit of a run of digits to the run sets the bit behind it.
    const uint64_t behind_fraction = (digits + (inner << 1)) & ~digits;
    uint64_t numbers = digits | inner;
    if (const uint64_t chains = behind_fraction & inner; chains != 0) {
        size = run_begin(numbers, static_cast<size_t>(std::countr_zero(chains)));
    } else if (!is_end && size > 0) {
        const uint64_t last = uint64_t{1} << (size - 1);
        const uint64_t open = numbers | (block.separators & digits << 1 & last);
        if ((open & last) != 0) size = run_begin(open, size - 1);
    }
    return numbers & low_bits(size);
}

/// Writes the bytes of the block whose bits are set in `kept`.
HWY_INLINE char* put_kept(const AsciiBlock& block, uint64_t kept, char* out) {
#if HWY_TARGET <= HWY_AVX3_DL
    const D d;
    uint8_t bits[8];
    std::memcpy(bits, &kept, sizeof bits);
    const auto packed = hn::Compress(hn::Load(d, block.bytes), hn::LoadMaskBits(d, bits));
    hn::StoreU(packed, d, reinterpret_cast<uint8_t*>(out));
    return out + std::popcount(kept);
#else
    // Run after run; always whole blocks, so that copying knows its size.
    while (kept != 0) {
        const auto begin = static_cast<size_t>(std::countr_zero(kept));
        const auto length = static_cast<size_t>(std::countr_one(kept >> begin));
        std::memcpy(out, block.bytes + begin, kBlock);
        out += length;
        kept &= ~(low_bits(length) << begin);
    }
    return out;
#endif
}

void normalize_blocks(std::string_view text, Progress& progress) {
    AsciiBlock block;
    std::memset(block.bytes + kBlock, 0, kBlock);
    size_t at = progress.position;
    char* out = progress.out;
    uint64_t after_space = progress.after_space ? 1 : 0;
    while (at < text.size()) {
        size_t size = std::min(kBlock, text.size() - at);
        if (size == kBlock) {
            classify(text.data() + at, block);
        } else {
            char rest[kBlock] = {};
            std::memcpy(rest, text.data() + at, size);
            classify(rest, block);
        }
        bool is_end = at + size == text.size();
        bool stops = false;
        if (block.high != 0) {
            size = static_cast<size_t>(std::countr_zero(block.high));
            is_end = false;
            stops = true;
        }
        uint64_t numbers = 0;
        if (block.digits != 0) numbers = find_numbers(block, is_end, size);
        if (size == 0) break;
        const uint64_t valid = low_bits(size);
        const uint64_t first_digits = numbers & ~(numbers << 1);
        const uint64_t spaces = valid & ~(block.letters | numbers);
        const uint64_t doubled = spaces & (spaces << 1 | after_space);
        const uint64_t kept = valid & ~doubled & (first_digits | ~numbers);
        out = put_kept(block, kept, out);
        after_space = spaces >> (size - 1) & 1;
        at += size;
        if (stops && static_cast<int8_t>(text[at]) < 0) break;
    }
    progress = {at, out, after_space != 0};
}

/// Appends a break for each space; @return behind the last.
HWY_INLINE Break* put_spaces(uint64_t spaces, Break base, Break* next) {
    Break* const end = next + std::popcount(spaces);
#if HWY_TARGET <= HWY_AVX3_DL
    // The numbers of the bits that are set, sixteen at a time, whether there are so many or not.
    const D d;
    const hn::Simd<uint32_t, 16, 0> d32;
    const hn::Simd<uint8_t, 16, 0> d16;
    uint8_t bits[8];
    HWY_ALIGN uint8_t numbers[kBlock];
    std::memcpy(bits, &spaces, sizeof bits);
    hn::Store(hn::Compress(hn::Iota(d, 0), hn::LoadMaskBits(d, bits)), d, numbers);
    const auto first = hn::Set(d32, base << 3 | 1);
    for (size_t i = 0; next + i < end; i += 16) {
        const auto offsets = hn::PromoteTo(d32, hn::Load(d16, numbers + i));
        hn::StoreU(hn::Add(hn::ShiftLeft<3>(offsets), first), d32, next + i);
    }
#else
    // Eight at a time: no branch on their number.
    for (; next < end; next += 8) {
        for (size_t i = 0; i < 8; ++i) {
            next[i] = (base + static_cast<Break>(std::countr_zero(spaces))) << 3 | 1;
            spaces &= spaces - 1;
        }
    }
#endif
    return end;
}

HWY_INLINE bool is_break(char32_t c) {
    return c < 0x10000 ? (kUnspacedBits[c >> 6] >> (c & 63) & 1) != 0 : is_unspaced(c);
}

size_t find_word_ends(const char* bytes, size_t size, Break* breaks) {
    const D d;
    Break* next = breaks;
    for (size_t first = 0; first < size; first += kBlock) {
        uint64_t spaces = 0, long_leads = 0;
        for (size_t i = 0; i < kBlock; i += kLanes) {
            const auto v = hn::LoadU(d, reinterpret_cast<const uint8_t*>(bytes) + first + i);
            spaces |= bits_of(hn::Eq(v, hn::Set(d, ' ')), i);
            long_leads |= bits_of(hn::Eq(hn::Max(v, hn::Set(d, 0xE0)), v), i);
        }
        const uint64_t valid = low_bits(std::min(kBlock, size - first));
        spaces &= valid;
        long_leads &= valid;
        const auto base = static_cast<Break>(first);
        if (long_leads == 0) {
            next = put_spaces(spaces, base, next);
            continue;
        }
        for (uint64_t left = spaces | long_leads; left != 0; left &= left - 1) {
            const auto offset = base + static_cast<Break>(std::countr_zero(left));
            size_t length = 1;
            const bool ends_word =
                bytes[offset] == ' ' || is_break(decode_long(bytes + offset, length));
            *next = offset << 3 | static_cast<Break>(length);
            next += ends_word ? 1 : 0;
        }
    }
    return static_cast<size_t>(next - breaks);
}

}  // namespace HWY_NAMESPACE
}  // namespace longhaul::text::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::text::detail {

HWY_EXPORT(normalize_blocks);
HWY_EXPORT(find_word_ends);

void normalize_ascii(std::string_view text, Progress& progress) {
    HWY_DYNAMIC_DISPATCH(normalize_blocks)(text, progress);
}

size_t find_breaks(const char* bytes, size_t size, Break* breaks) {
    return HWY_DYNAMIC_DISPATCH(find_word_ends)(bytes, size, breaks);
}

}  // namespace longhaul::text::detail
#endif  // HWY_ONCE
