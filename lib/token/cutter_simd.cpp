// SPDX-License-Identifier: BSD-3-Clause
// Compiled once for every SIMD target (Highway includes this file again for each). The masks of
// cutter_blocks-inl.h become bits where pieces start (cutter_marker-inl.h); what they leave open is
// settled here.
// The idea of 64-byte masks: Langdale, Lemire, "Parsing Gigabytes of JSON per Second", VLDB Journal
// 28(6), 2019 (arXiv:1902.08318).
#include <algorithm>
#include <bit>

#include "lib/token/cutter.h"
#include "lib/token/scheme_scanner.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/token/cutter_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "lib/token/cutter_marker-inl.h"

HWY_BEFORE_NAMESPACE();
namespace longhaul::token::detail {
namespace HWY_NAMESPACE {

HWY_INLINE void set_start(Marks& marks, size_t at, bool is_start) {
    uint64_t& word = marks.starts[std::min(at / kBlock, kMostBlocks)];
    const uint64_t bit = uint64_t{1} << (at % kBlock);
    word = is_start ? word | bit : word & ~bit;
}

/// Bytes of a contraction ('s 't 're 've 'm 'll 'd) at `at`, or 0.
template <bool kIgnoreCase>
HWY_INLINE size_t contraction(const Window& window, size_t at) {
    const auto letter = [&](size_t i) {
        const auto c =
            at + i < window.size ? static_cast<uint8_t>(window.text[at + i]) : uint8_t{0};
        return kIgnoreCase && c >= 'A' && c <= 'Z' ? static_cast<uint8_t>(c + 32) : c;
    };
    const uint8_t first = letter(1), second = letter(2);
    if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
    if ((first == 'r' || first == 'v') && second == 'e') return 3;
    if (first == 'l' && second == 'l') return 3;
    return kIgnoreCase && first == 0xC5 && second == 0xBF ? 3 : 0;  // U+017F is an s
}

template <Scheme kScheme>
HWY_NOINLINE void cut_contractions(const Window& window, size_t num_blocks, Marks& marks) {
    constexpr Rules kRules = rules_of(kScheme);
    constexpr bool kIsSuffix = kRules.family == Family::kO200k;
    size_t done = ~size_t{0};  // the end of the contraction before
    for (size_t i = 0; i < num_blocks; ++i) {
        for (uint64_t left = marks.apostrophes[i]; left != 0; left &= left - 1) {
            const size_t at = i * kBlock + static_cast<size_t>(std::countr_zero(left));
            const size_t length = contraction<kRules.family != Family::kGpt2>(window, at);
            if (length == 0 || (kIsSuffix && at == done)) continue;
            done = at + length;
            for (size_t j = kIsSuffix ? 0 : 1; j < length; ++j) set_start(marks, at + j, false);
            set_start(marks, done, true);
            // What cases mean behind it was counted from before it.
            if (kIsSuffix && done < window.size &&
                static_cast<uint8_t>(window.text[done]) >= 0x80 && done / kBlock < num_blocks) {
                marks.hard[done / kBlock] |= uint64_t{1} << (done % kBlock);
                marks.any_hard = 1;
            }
        }
    }
}

/// Cuts again by the scanner around everything hard, from a gap between words to another.
template <Scheme kScheme>
HWY_NOINLINE void cut_hard(const Window& window, size_t num_blocks, Marks& marks) {
    const Scanner<kScheme> scanner(std::string_view(window.text, window.size));
    const size_t limit = std::min(num_blocks * kBlock, window.size);
    size_t gap = 0, position = 0;  // the last gap before, or where the scanner has come to
    for (size_t i = 0; i < num_blocks; ++i) {
        uint64_t hard = marks.hard[i], gaps = marks.word_gaps[i];
        while (hard != 0) {
            const auto bit = static_cast<size_t>(std::countr_zero(hard));
            hard &= hard - 1;
            const size_t at = i * kBlock + bit;
            if (at < position) continue;
            const uint64_t before = gaps & ((uint64_t{1} << bit) - 1);
            if (before != 0) gap = i * kBlock + 63 - static_cast<size_t>(std::countl_zero(before));
            position = std::max(position, gap);
            // Up to the first gap behind it.
            size_t end = limit, block = i;
            uint64_t behind = gaps & ~(before | uint64_t{1} << bit);
            while (behind == 0 && ++block < num_blocks) behind = marks.word_gaps[block];
            if (behind != 0) end = block * kBlock + static_cast<size_t>(std::countr_zero(behind));
            for (size_t next = position; position < end; position = next) {
                next = scanner.next(position);
                for (size_t j = position + 1; j < std::min(next, end); ++j) {
                    set_start(marks, j, false);
                }
                if (next < limit) set_start(marks, next, true);
            }
        }
        if (gaps != 0) gap = i * kBlock + 63 - static_cast<size_t>(std::countl_zero(gaps));
    }
}

/// cl100k, `\s++$`: white space up to the end of the text is one piece, and until that end is seen,
/// nothing is known of such a run but where it begins.
HWY_INLINE void join_end_space(const Window& window, size_t bytes, Marks& marks) {
    const std::string_view text(window.text, window.size);
    size_t begin = bytes;
    while (begin > 0) {
        size_t last = begin - 1;
        while (last > 0 && (text[last] & 0xC0) == 0x80) --last;
        if (!text::is_white_space(text::decode_utf8(text, last).code_point)) break;
        begin = last;
    }
    const auto is_start = [&](size_t at) {
        return at == 0 || (marks.starts[at / kBlock] >> (at % kBlock) & 1) != 0;
    };
    while (begin < bytes && !is_start(begin)) ++begin;
    for (size_t at = begin + 1; at < bytes; ++at) set_start(marks, at, false);
}

/// Writes the positions of the bits as the ends of pieces. @return how many
HWY_INLINE size_t extract(const uint64_t* starts, size_t num_blocks, size_t skip, uint32_t* ends) {
    size_t count = 0;
    for (size_t i = 0; i < num_blocks; ++i) {
        uint64_t left = starts[i];
        const auto base = static_cast<uint32_t>(i * kBlock - skip);
        const auto more = static_cast<size_t>(std::popcount(left));
        uint32_t* out = ends + count;
        count += more;
        // Eight at a time without a look at how many: what is too much is overwritten.
        for (size_t done = 0; done < more; done += 8) {
            for (size_t j = 0; j < 8; ++j) {
                out[done + j] = base + static_cast<uint32_t>(std::countr_zero(left));
                left &= left - 1;
            }
        }
    }
    return count;
}

template <Scheme kScheme>
size_t cut_window(const Window& window, uint32_t* ends) {
    Marks marks;
    const size_t bytes = Marker<kScheme>(window, marks).run();
    const size_t num_blocks = (bytes + kBlock - 1) / kBlock;
    if (marks.any_apostrophes != 0) cut_contractions<kScheme>(window, num_blocks, marks);
    if (marks.any_hard != 0) cut_hard<kScheme>(window, num_blocks, marks);
    if (rules_of(kScheme).end_space_is_whole) join_end_space(window, bytes, marks);
    const size_t skip = rules_of(kScheme).cuts_bytes ? window.skip : 0;
    marks.starts[0] &= ~uint64_t{1} << skip;
    if (bytes % kBlock != 0) {
        marks.starts[num_blocks - 1] &= (uint64_t{1} << (bytes % kBlock)) - 1;
    }
    size_t count = extract(marks.starts, num_blocks, skip, ends);
    if (bytes == window.size) ends[count++] = static_cast<uint32_t>(bytes - skip);
    return count;
}

size_t cut_any(Scheme scheme, const Window& window, uint32_t* ends) {
    return with_scheme(scheme,
                       [&](auto tag) { return cut_window<decltype(tag)::value>(window, ends); });
}

}  // namespace HWY_NAMESPACE
}  // namespace longhaul::token::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace longhaul::token {
namespace detail {
HWY_EXPORT(cut_any);
}  // namespace detail

size_t Cutter::cut(std::string_view text, size_t begin, Ends& ends) const {
    using namespace detail;
    size_t skip = 0;
    if (scheme_ == Scheme::kFalcon) {
        while (skip < std::min<size_t>(begin, 3) && (text[begin - skip] & 0xC0) == 0x80) ++skip;
    }
    begin -= skip;
    const detail::Window window{text.data() + begin, text.size() - begin, classes_, skip};
    return HWY_DYNAMIC_DISPATCH(cut_any)(scheme_, window, ends.data());
}

}  // namespace longhaul::token
#endif  // HWY_ONCE
