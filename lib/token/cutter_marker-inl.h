// SPDX-License-Identifier: BSD-3-Clause
// Where pieces start, from the masks of cutter_blocks-inl.h; how, is said with each family of
// schemes. For cutter_simd.cpp, once for every SIMD target.
#include "lib/token/cutter_blocks-inl.h"

#if defined(LONGHAUL_TOKEN_CUTTER_MARKER_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LONGHAUL_TOKEN_CUTTER_MARKER_INL_H
#undef LONGHAUL_TOKEN_CUTTER_MARKER_INL_H
#else
#define LONGHAUL_TOKEN_CUTTER_MARKER_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace longhaul::token::detail {
namespace HWY_NAMESPACE {

constexpr size_t kMostBlocks = Cutter::kWindow / kBlock;

/// Where pieces start in a window, and what is looked at afterwards; a word for each block.
struct Marks {
    uint64_t starts[kMostBlocks + 1] = {};
    uint64_t apostrophes[kMostBlocks];  // where a contraction may begin
    uint64_t hard[kMostBlocks];
    uint64_t word_gaps[kMostBlocks];  // a space between two letters: a piece starts there anyway
    uint64_t any_apostrophes = 0, any_hard = 0;
};

/// Finds the starts of a window, block after block.
template <Scheme kScheme>
class Marker {
 public:
    Marker(const Window& window, Marks& marks) : window_(window), marks_(marks) {}

    /// @return bytes of the text in the window
    HWY_INLINE size_t run() {
        const size_t bytes = std::min(window_.size, Cutter::kWindow);
        const size_t num_blocks = (bytes + kBlock - 1) / kBlock;
        now_ = block_at(0);
        for (size_t i = 0; i < num_blocks; ++i) {
            next_ = block_at((i + 1) * kBlock);
            index_ = i;
            uint64_t starts = 0;
            if constexpr (kRules.family == Family::kGpt2) {
                starts = mark_gpt2();
            } else {
                starts = mark_cl100k();
            }
            marks_.starts[i] |= starts;
            marks_.hard[i] = now_.hard;
            marks_.any_hard |= now_.hard;
            if (kMayBeHard) {
                const uint64_t after_letter = up(now_.letters, before_.letters);
                marks_.word_gaps[i] =
                    now_.blanks & after_letter & down(now_.letters, next_.letters);
            }
            before_ = now_;
            now_ = next_;
        }
        return bytes;
    }

 private:
    static constexpr Rules kRules = rules_of(kScheme);
    static constexpr bool kIsDeepSeek = kRules.family == Family::kDeepSeek;
    static constexpr bool kMayBeHard = kRules.family != Family::kGpt2;

    HWY_INLINE Block block_at(size_t offset) const {
        const char* const text = window_.text + offset;
        if (HWY_LIKELY(offset + kBlockReach <= window_.size)) {
            return classify<kScheme>(text, window_.classes, now_);
        }
        const size_t left = window_.size - std::min(offset, window_.size);
        return classify_end<kScheme>(text, left, window_.classes, now_);
    }
    static HWY_INLINE uint64_t down(uint64_t mask, uint64_t after) {
        return mask >> 1 | after << 63;
    }

    /// The last character of a run of white space, where something follows: it is left to that, or
    /// a piece by itself. @param space which white space
    HWY_INLINE uint64_t last_spaces(uint64_t space) {
        uint64_t passes = down(now_.spaces, next_.spaces);
        // Where an earlier step has cut, `(?!\S)` sees the end of a text.
        if (kScheme == Scheme::kStarCoder) passes |= down(now_.numbers, next_.numbers);
        if (kIsDeepSeek) passes |= down(now_.numbers | now_.apart, next_.numbers | next_.apart);
        if (kRules.cuts_bytes) passes |= down(now_.apart, next_.apart);
        uint64_t last = space & ~passes;
        if (HWY_UNLIKELY((last & now_.conts) != 0)) {
            // Of a character of several bytes: back to its lead.
            const uint64_t inside = last & now_.conts;
            last &= ~now_.conts;
            for (uint64_t left = inside; left != 0; left &= left - 1) {
                size_t at = index_ * kBlock + static_cast<size_t>(std::countr_zero(left));
                while (at > 0 && (window_.text[at] & 0xC0) == 0x80) --at;
                marks_.starts[at / kBlock] |= uint64_t{1} << (at % kBlock);
            }
        }
        return last;
    }

    // ` ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`: changes of class, a space goes with
    // what follows.
    HWY_INLINE uint64_t mark_gpt2() {
        const uint64_t after_blank = up(now_.blanks, before_.blanks);
        const auto first = [&](uint64_t mask, uint64_t mask_before) {
            return mask & ~up(mask, mask_before);
        };
        const uint64_t others = first(now_.others, before_.others) & ~after_blank;
        uint64_t starts = first(now_.letters, before_.letters) & ~after_blank;
        starts |= others | first(now_.spaces, before_.spaces) | last_spaces(now_.spaces);
        if (kScheme == Scheme::kStarCoder) {
            starts |= now_.numbers & ~now_.conts;
        } else {
            starts |= first(now_.numbers, before_.numbers) & ~after_blank;
        }
        if (kRules.cuts_bytes) return starts | mark_bytes() | first(now_.apart, before_.apart);
        note_apostrophes(now_.apostrophes & others);
        return starts;
    }

    // Falcon, in the byte alphabet: runs of its digits, and ASCII digits in threes from the left.
    // Where less than three are left of a run, they stay with what other digits are before them.
    HWY_INLINE uint64_t mark_bytes() {
        const uint64_t changes = now_.byte_digits ^ up(now_.byte_digits, before_.byte_digits);
        const uint64_t digits = now_.digits;
        if (digits == 0) {
            numbers_before_ = 0;
            return changes;
        }
        const uint64_t second = down(digits, next_.digits);
        const uint64_t third = digits >> 2 | next_.digits << 62;
        const uint64_t runs = digits & ~up(digits, before_.digits);
        const uint64_t threes = chain_of_threes(digits, before_.digits, runs);
        return changes | (threes & ~runs) | (runs & second & third);
    }

    HWY_INLINE void note_apostrophes(uint64_t apostrophes) {
        marks_.apostrophes[index_] = apostrophes;
        marks_.any_apostrophes |= apostrophes;
    }

    // `[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+` and
    // its relatives. Others take the line breaks after them; the first of them, if it is the only
    // one and no space is before it, goes with the letters after it, and so does white space.
    HWY_INLINE uint64_t mark_cl100k() {
        const uint64_t absorbed = absorb_breaks();
        const uint64_t others = now_.others & ~absorbed;
        const uint64_t spaces = now_.spaces & ~absorbed;
        const uint64_t after_blank = up(now_.blanks, before_.blanks);
        uint64_t same = up(others, others_before_);
        if (kIsDeepSeek) same &= ~apart_changes();
        const uint64_t first_others =
            others & ~same & ~(kIsDeepSeek ? after_blank & ~now_.apart : after_blank);
        uint64_t starts = mark_letters(first_others) | first_others | mark_numbers();
        starts |= spaces & ~up(spaces, spaces_before_);
        const uint64_t blank_spaces = now_.spaces & ~now_.breaks;
        starts |= last_spaces(blank_spaces) | after_breaks(blank_spaces);
        if (kRules.has_han) starts |= now_.apart & ~up(now_.apart, before_.apart);
        if (kRules.has_contractions) {
            const bool is_suffix = kRules.family == Family::kO200k;
            const uint64_t after_letter = up(now_.letters, before_.letters);
            note_apostrophes(now_.apostrophes & (is_suffix ? after_letter : first_others));
        }
        others_before_ = others;
        spaces_before_ = spaces;
        return starts;
    }

    HWY_INLINE uint64_t apart_changes() const { return now_.apart ^ up(now_.apart, before_.apart); }

    /// Line breaks, or slashes after them, that belong to others before them.
    HWY_INLINE uint64_t absorb_breaks() {
        const uint64_t run = now_.breaks | now_.slashes;
        uint64_t others = up(now_.others, others_before_);
        if (kIsDeepSeek) others &= ~up(now_.apart, before_.apart);
        const uint64_t begins = (others & now_.breaks) | (absorbed_before_ >> 63 & run);
        absorbed_before_ = begins == 0 ? 0 : flood(run, begins);
        return absorbed_before_;
    }

    HWY_INLINE uint64_t mark_letters(uint64_t first_others) {
        const uint64_t letters = now_.letters;
        uint64_t same = up(letters, before_.letters);
        uint64_t leaders = now_.spaces & ~now_.breaks;
        uint64_t starts = 0;
        if constexpr (kIsDeepSeek) {
            same &= ~apart_changes();
            const uint64_t marks = first_others & now_.ascii_others;
            const uint64_t led = up(marks, ascii_leaders_before_) & now_.ascii_letters;
            ascii_leaders_before_ = marks;
            starts = letters & ~same & ~(up(leaders, leaders_before_) & ~now_.apart) & ~led;
            // `[!-~][A-Za-z]+` ends where other letters follow.
            const uint64_t begins = led | (led_before_ >> 63 & now_.ascii_letters);
            const uint64_t run = begins == 0 ? 0 : flood(now_.ascii_letters, begins);
            starts |= up(run, led_before_) & letters & ~now_.ascii_letters;
            led_before_ = run;
        } else {
            if (now_.conts != 0) {  // the first other with all its bytes
                first_others |= flood(now_.conts, up(first_others, first_before_) & now_.conts);
            }
            first_before_ = first_others;
            leaders |= first_others;
            starts = letters & ~same & ~up(leaders, leaders_before_);
            if constexpr (kRules.family == Family::kO200k) starts |= mark_cases();
        }
        leaders_before_ = leaders;
        return starts;
    }

    // `[Upper]*[Lower]+|[Upper]+[Lower]*`: a piece ends before an upper case letter when it has
    // come to the second part. Letters without case are in both, so behind one of them it depends
    // on what it follows, or on what follows the upper case.
    HWY_INLINE uint64_t mark_cases() {
        const uint64_t both = now_.letters & ~now_.upper & ~now_.lower;
        uint64_t starts = now_.upper & up(now_.lower, before_.lower);
        const uint64_t begins = (up(now_.lower, before_.lower) | second_part_before_ >> 63) & both;
        const uint64_t second_part = begins == 0 ? 0 : flood(both, begins);
        starts |= now_.upper & up(second_part, second_part_before_);
        const uint64_t unclear =
            now_.upper & up(both & ~second_part, both_before_ & ~second_part_before_);
        for (uint64_t left = unclear; left != 0; left &= left - 1) {
            const size_t at = index_ * kBlock + static_cast<size_t>(std::countr_zero(left));
            if (ends_in_upper(at)) starts |= left & (~left + 1);
        }
        second_part_before_ = second_part;
        both_before_ = both;
        return starts;
    }
    /// True when no letter follows the run of upper case letters.
    HWY_NOINLINE bool ends_in_upper(size_t at) const {
        const std::string_view text(window_.text, window_.size);
        while (at < text.size()) {
            const text::Decoded c = text::decode_utf8(text, at);
            const uint16_t classes = class_of<kScheme>(c.code_point) & (kUpper | kLower);
            if (classes != kUpper) return classes == 0;
            at += c.length;
        }
        return true;
    }

    HWY_INLINE uint64_t mark_numbers() {
        const uint64_t numbers = now_.numbers;
        if (kRules.max_digits == 1) return numbers & ~now_.conts;
        // Threes are counted in bytes; numbers outside ASCII are left to the scanner.
        now_.hard |= numbers & now_.conts;
        return chain_of_threes(numbers, before_.numbers, numbers & ~up(numbers, before_.numbers));
    }
    /// The first of a run and every third behind it. @param runs where one begins
    HWY_INLINE uint64_t chain_of_threes(uint64_t numbers, uint64_t before, uint64_t runs) {
        const auto moved = [&](int by) {
            return numbers << by | before >> (kBlock - static_cast<size_t>(by));
        };
        const uint64_t fourth = numbers & moved(1) & moved(2) & moved(3);
        uint64_t starts = runs | ((numbers_before_ >> 61) & fourth);
        for (uint64_t more = starts; fourth != 0 && (more = more << 3 & fourth) != 0;) {
            starts |= more;
        }
        numbers_before_ = starts;
        return starts;
    }

    /// White space behind a line break that no other line break follows: `\s*[\r\n]+` ends there.
    /// @param blank_spaces white space but line breaks
    HWY_INLINE uint64_t after_breaks(uint64_t blank_spaces) {
        uint64_t begins = blank_spaces & up(now_.breaks, before_.breaks);
        if (begins == 0) return 0;
        const uint64_t ends = (blank_spaces + begins) & ~blank_spaces;
        const bool goes_on = blank_spaces >> 63 != 0 && flood(blank_spaces, begins) >> 63 != 0;
        if (HWY_LIKELY((ends & now_.breaks) == 0 && !goes_on)) return begins;
        for (uint64_t left = begins; left != 0; left &= left - 1) {
            const auto at = static_cast<unsigned>(std::countr_zero(left));
            if (break_follows(at, blank_spaces)) begins &= ~(left & (~left + 1));
        }
        return begins;
    }
    /// What ends the run of `blank_spaces` that goes through byte `at` of this block.
    HWY_INLINE bool break_follows(unsigned at, uint64_t blank_spaces) const {
        const uint64_t ends = ~blank_spaces >> at << at;
        if (ends != 0) return (now_.breaks & ends & (~ends + 1)) != 0;
        const uint64_t next_ends = ~(next_.spaces & ~next_.breaks);
        if (next_ends != 0) return (next_.breaks & next_ends & (~next_ends + 1)) != 0;
        return break_follows_text((index_ + 1) * kBlock);
    }
    HWY_NOINLINE bool break_follows_text(size_t at) const {
        const std::string_view text(window_.text, window_.size);
        while (at < text.size() && (text[at] & 0xC0) == 0x80) ++at;
        while (at < text.size()) {
            const char c = text[at];
            if (c == '\n' || c == '\r') return true;
            const text::Decoded decoded = text::decode_utf8(text, at);
            if (!text::is_white_space(decoded.code_point)) return false;
            at += decoded.length;
        }
        return false;
    }

    const Window& window_;
    Marks& marks_;
    size_t index_ = 0;
    Block before_, now_, next_;
    // Of the block before, where they differ from its classes.
    uint64_t others_before_ = 0, spaces_before_ = 0, absorbed_before_ = 0, leaders_before_ = 0;
    uint64_t first_before_ = 0, ascii_leaders_before_ = 0, led_before_ = 0, numbers_before_ = 0;
    uint64_t both_before_ = 0, second_part_before_ = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace longhaul::token::detail
HWY_AFTER_NAMESPACE();

#endif
