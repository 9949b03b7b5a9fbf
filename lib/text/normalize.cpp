// SPDX-License-Identifier: BSD-3-Clause
#include "lib/text/normalize.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "lib/text/lower_case.h"
#include "lib/text/normalization_forms.h"
#include "lib/text/normalize_simd.h"
#include "lib/text/unicode.h"

namespace longhaul::text {

namespace {

// datatrove's PUNCTUATION without ASCII and control characters, as code points, sorted.
constexpr char32_t kOtherPunctuation[] = {
    0x00AB, 0x00B4, 0x00BB, 0x2013, 0x2014, 0x2019, 0x201C, 0x201D, 0x201E, 0x2026, 0x2236, 0x2501,
    0x25BA, 0x3001, 0x3002, 0x3008, 0x3009, 0x300A, 0x300B, 0x300C, 0x300D, 0x3010, 0x3011, 0xFF01,
    0xFF05, 0xFF08, 0xFF09, 0xFF0C, 0xFF0E, 0xFF11, 0xFF1A, 0xFF1B, 0xFF1F, 0xFF5E,
};

bool is_punctuation_to_fineweb(char32_t c) {
    return (c >= 0x80 && c < 0xA0) ||
           std::binary_search(std::begin(kOtherPunctuation), std::end(kOtherPunctuation), c);
}

/// The separators of the number pattern: "[.,", Arabic comma and decimal separator, U+2396..2398.
bool is_decimal_separator(char32_t c) {
    return c == '.' || c == ',' || c == 0x060C || c == 0x066B || (c >= 0x2396 && c <= 0x2398);
}

// What an ASCII character becomes: a letter itself in lower case, a digit 0 (handled apart), and
// all the rest, which datatrove's list holds entirely or which is white space, ' '.
constexpr std::array<char, 128> make_ascii_table() {
    std::array<char, 128> table{};
    for (int c = 0; c < 128; ++c) {
        const bool is_lower = c >= 'a' && c <= 'z';
        const bool is_upper = c >= 'A' && c <= 'Z';
        const bool is_digit = c >= '0' && c <= '9';
        const int becomes = is_digit ? 0 : is_upper ? c + 32 : is_lower ? c : ' ';
        table[static_cast<size_t>(c)] = static_cast<char>(becomes);
    }
    return table;
}
constexpr std::array<char, 128> kAscii = make_ascii_table();

constexpr char32_t kFirstHangul = 0xAC00;
constexpr char32_t kNumHangul = 11172;

// Of TextNormalizer::short_outcomes_; the number of bytes is in bits 24 and 25.
constexpr uint32_t kIsSpace = 1u << 26;
constexpr uint32_t kIsKnown = 1u << 27;  // so that a dropped mark is not 0

std::u32string decode_all(std::string_view text) {
    std::u32string out;
    for (size_t i = 0; i < text.size();) {
        const Decoded decoded = decode_utf8(text, i);
        out.push_back(decoded.code_point);
        i += decoded.length;
    }
    return out;
}

}  // namespace

// The table is large but sparsely used: calloc gives pages that take no memory until then.
TextNormalizer::TextNormalizer()
    : blocks_(0x110000 / 128), short_outcomes_(static_cast<uint32_t*>(std::calloc(0x10000, 4))) {
    if (!short_outcomes_) throw std::bad_alloc();
}
TextNormalizer::~TextNormalizer() = default;

void TextNormalizer::reserve(size_t text_bytes) {
    // A Hangul syllable (3 bytes) becomes three jamo (9 bytes): nothing grows more. Not touched
    // where not used; a giant buffer is given back when a small text follows.
    constexpr size_t kKeptBytes = 16 << 20;
    const size_t wanted = 3 * text_bytes + detail::kBlock + 2 * kPadding;
    if (wanted <= capacity_ && (capacity_ <= kKeptBytes || wanted > kKeptBytes)) return;
    capacity_ = std::max(wanted, size_t{1} << 16);
    buffer_.reset();
    buffer_ = std::make_unique_for_overwrite<char[]>(capacity_);
}

TextNormalizer::Outcome TextNormalizer::make_outcome(char32_t c) {
    Outcome result;
    if (c == 0x3A3) {
        result.kind = Kind::kSigma;
        return result;
    }
    std::string lower;
    append_lower(c, lower);
    std::u32string lowered = decode_all(lower);
    if (lowered.size() == 1) {
        if (is_decimal_digit(lowered[0])) {
            result.kind = Kind::kDigit;
            return result;
        }
        if (is_white_space(lowered[0]) || is_punctuation_to_fineweb(lowered[0])) {
            result.kind = Kind::kSpace;
            return result;
        }
    }
    std::u32string parts;
    for (const char32_t part : lowered) append_decomposition(part, parts);
    std::string kept;
    bool drops_starter = false;
    bool has_mark = false;
    for (const char32_t part : parts) {
        if (general_category(part) == Category::kMn) {
            drops_starter = drops_starter || combining_class(part) == 0;
            continue;
        }
        has_mark = has_mark || combining_class(part) != 0;
        append_utf8(part, kept);
    }
    if (kept.empty()) {
        result.kind = drops_starter ? Kind::kStarterMark : Kind::kMark;
    } else {
        result.kind = has_mark ? Kind::kOrdered : Kind::kText;
    }
    result.length = static_cast<uint8_t>(kept.size());
    std::copy(kept.begin(), kept.end(), result.bytes.begin());
    return result;
}

/// Enters an outcome in short_outcomes_ if it is a simple one.
void TextNormalizer::remember(char32_t c, const Outcome& what) {
    if (c >= 0x10000) return;
    uint32_t bytes = 0;
    std::memcpy(&bytes, what.bytes.data(), sizeof bytes);
    const auto length = static_cast<uint32_t>(what.length);
    if (what.kind == Kind::kText && length <= 3) {
        short_outcomes_[c] = (bytes & 0xFFFFFF) | length << 24 | kIsKnown;
    } else if (what.kind == Kind::kSpace) {
        short_outcomes_[c] = ' ' | 1u << 24 | kIsSpace | kIsKnown;
    } else if (what.kind == Kind::kMark) {
        short_outcomes_[c] = kIsKnown;
    }
}

const TextNormalizer::Outcome& TextNormalizer::outcome(char32_t c) {
    std::unique_ptr<Block>& block = blocks_[c >> 7];
    if (!block) {
        block = std::make_unique<Block>();
        for (char32_t i = 0; i < 128; ++i) (*block)[i] = make_outcome((c & ~char32_t{127}) + i);
    }
    return (*block)[c & 127];
}

void TextNormalizer::put_bytes(const char* bytes, size_t length) {
    std::memcpy(out_, bytes, length);
    out_ += length;
    after_space_ = false;
}

void TextNormalizer::put_space() {
    *out_ = ' ';
    out_ += after_space_ ? 0 : 1;
    after_space_ = true;
}

/// Writes "0" for \p{Nd}+([.,...]\p{Nd}+)? at `position`; @return the position behind it.
size_t TextNormalizer::put_number(std::string_view text, size_t position) {
    const auto skip_digits = [&](size_t i) {
        while (i < text.size()) {
            const Decoded next = decode_utf8(text, i);
            if (!is_decimal_digit(next.code_point)) break;
            i += next.length;
        }
        return i;
    };
    size_t end = skip_digits(position);
    if (end < text.size()) {
        const Decoded next = decode_utf8(text, end);
        if (is_decimal_separator(next.code_point)) {
            const size_t fraction = end + next.length;
            const size_t fraction_end = skip_digits(fraction);
            if (fraction_end > fraction) end = fraction_end;
        }
    }
    put_bytes("0", 1);
    return end;
}

/// Kept marks of a run are put in canonical order: those of a lower class move forward.
void TextNormalizer::put_ordered(const Outcome& outcome) {
    const std::string_view bytes(outcome.bytes.data(), outcome.length);
    for (size_t i = 0; i < bytes.size();) {
        const Decoded part = decode_utf8(bytes, i);
        const uint8_t ccc = combining_class(part.code_point);
        if (marks_end_ != out_) marks_.clear();  // something else was written since
        if (ccc == 0) {
            marks_.clear();
            put_bytes(bytes.data() + i, part.length);
        } else {
            if (marks_.empty()) marks_begin_ = out_;
            std::pair<uint8_t, std::array<char, 5>> mark{ccc, {}};
            std::copy_n(bytes.data() + i, part.length, mark.second.begin());
            const auto place =
                std::upper_bound(marks_.begin(), marks_.end(), mark,
                                 [](const auto& a, const auto& b) { return a.first < b.first; });
            marks_.insert(place, mark);
            out_ = marks_begin_;
            for (const auto& [ignored, text] : marks_)
                put_bytes(text.data(), std::strlen(text.data()));
        }
        marks_end_ = out_;
        i += part.length;
    }
}

/// A character that is not ASCII; @return the position behind it.
size_t TextNormalizer::put_other(std::string_view text, size_t position) {
    const Decoded decoded = decode_utf8(text, position);
    const size_t next = position + decoded.length;
    const Outcome& what = outcome(decoded.code_point);
    if (decoded.is_valid) remember(decoded.code_point, what);
    switch (what.kind) {
        case Kind::kText:
            std::memcpy(out_, what.bytes.data(), what.bytes.size());
            out_ += what.length;
            after_space_ = false;
            return next;
        case Kind::kSpace:
            put_space();
            return next;
        case Kind::kDigit:
            return put_number(text, position);
        case Kind::kStarterMark:
            marks_.clear();
            marks_end_ = nullptr;
            after_space_ = false;
            return next;
        case Kind::kMark:
            after_space_ = false;
            return next;
        case Kind::kSigma: {
            const bool is_final = is_final_sigma(text, position, decoded.length);
            put_bytes(is_final ? "\u03C2" : "\u03C3", 2);
            return next;
        }
        case Kind::kOrdered:
            put_ordered(what);
            return next;
    }
    return next;
}

/// Writes ASCII from `position` on; @return where something else or a difficult number stands.
size_t TextNormalizer::put_ascii(std::string_view text, size_t position) {
    detail::Progress progress{position, out_, after_space_};
    detail::normalize_ascii(text, progress);
    out_ = progress.out;
    after_space_ = progress.after_space;
    return progress.position;
}

namespace {

/// A Hangul syllable as its two or three jamo. @source Unicode 16.0, section 3.12
char* put_hangul(char32_t c, char* out) {
    const char32_t index = c - kFirstHangul;
    const auto put_jamo = [&](char32_t jamo) {
        out[0] = static_cast<char>(0xE0 | jamo >> 12);
        out[1] = static_cast<char>(0x80 | (jamo >> 6 & 0x3F));
        out[2] = static_cast<char>(0x80 | (jamo & 0x3F));
        out += 3;
    };
    put_jamo(0x1100 + index / 588);
    put_jamo(0x1161 + index % 588 / 28);
    if (index % 28 != 0) put_jamo(0x11A7 + index % 28);
    return out;
}

/// Where the writing stands; kept in registers.
struct Writer {
    char* out;
    bool after_space;
};

/// Writes the character of two or three bytes at the begin of `text` if its outcome is known to be
/// simple; @return its bytes, 0 for all others.
size_t put_known(std::string_view text, const uint32_t* short_outcomes, Writer& writer) {
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
    if (text.size() < 3 || byte(0) < 0xC2 || byte(0) > 0xEF) return 0;
    const bool is_short = byte(0) < 0xE0;
    const uint32_t trail = is_short ? byte(1) : byte(1) << 8u | byte(2);
    if ((trail & (is_short ? 0xC0u : 0xC0C0u)) != (is_short ? 0x80u : 0x8080u)) return 0;
    const char32_t c = is_short
                           ? (byte(0) & 0x1Fu) << 6 | (byte(1) & 0x3Fu)
                           : (byte(0) & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    if (!is_short && c < 0x800) return 0;  // overlong; surrogates never get an entry
    const uint32_t known = short_outcomes[c];
    if (known != 0) {
        std::memcpy(writer.out, &known, sizeof known);
        const bool is_space = (known & kIsSpace) != 0;
        writer.out += is_space && writer.after_space ? 0 : known >> 24 & 3;
        writer.after_space = is_space;
    } else {
        if (c - kFirstHangul >= kNumHangul) return 0;
        writer = {put_hangul(c, writer.out), false};
    }
    return is_short ? 2 : 3;
}

}  // namespace

/// Text that is not, or not only, ASCII: up to a run of ASCII that is worth the vectors, or a
/// digit.
size_t TextNormalizer::put_mixed(std::string_view text, size_t position) {
    constexpr size_t kWorthIt = 16;
    const uint32_t* const short_outcomes = short_outcomes_.get();
    Writer writer{out_, after_space_};
    size_t num_ascii = 0;  // in a row
    size_t i = position;
    while (i < text.size() && num_ascii < kWorthIt) {
        const auto byte = static_cast<uint8_t>(text[i]);
        if (byte < 0x80) {
            const char c = kAscii[byte];
            if (c == 0) break;
            const bool is_space = c == ' ';
            *writer.out = c;
            writer.out += is_space && writer.after_space ? 0 : 1;
            writer.after_space = is_space;
            ++num_ascii;
            ++i;
            continue;
        }
        num_ascii = 0;
        const size_t length = put_known(text.substr(i), short_outcomes, writer);
        i += length;
        if (length > 0) continue;
        out_ = writer.out;
        after_space_ = writer.after_space;
        i = put_other(text, i);
        writer = {out_, after_space_};
    }
    out_ = writer.out;
    after_space_ = writer.after_space;
    return i;
}

std::string_view TextNormalizer::normalize(std::string_view text) {
    reserve(text.size());
    char* const start = buffer_.get() + kPadding;
    out_ = start;
    after_space_ = true;
    marks_.clear();
    marks_end_ = nullptr;
    size_t i = 0;
    while ((i = put_ascii(text, i)) < text.size()) {
        i = static_cast<int8_t>(text[i]) >= 0 ? put_number(text, i) : put_mixed(text, i);
    }
    const char* begin = start;
    while (begin < out_ && *begin == ' ') ++begin;
    while (out_ > begin && out_[-1] == ' ') --out_;
    return {begin, static_cast<size_t>(out_ - begin)};
}

}  // namespace longhaul::text
