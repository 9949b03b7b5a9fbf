// SPDX-License-Identifier: BSD-3-Clause
#include "lib/text/graphemes.h"

#include <algorithm>

#include "lib/text/unicode.h"

namespace longhaul::text {

namespace {

/// Grapheme_Cluster_Break, with Extended_Pictographic and Indic_Conjunct_Break where they matter.
enum class Class : uint8_t {
    kOther,
    kCr,
    kLf,
    kControl,
    kExtend,
    kConjunctExtend,  // Extend that may stand inside an Indic conjunct
    kLinker,          // Extend that joins consonants
    kZwj,
    kRegionalIndicator,
    kPrepend,
    kSpacingMark,
    kL,
    kV,
    kT,
    kPictographic,
    kConsonant,
    kLv,
    kLvt,
};

Class class_of(char32_t c) {
    if (c < 0x7F)
        return c >= ' '    ? Class::kOther
               : c == '\r' ? Class::kCr
               : c == '\n' ? Class::kLf
                           : Class::kControl;
    if (c >= 0xAC00 && c <= 0xD7A3) return (c - 0xAC00) % 28 == 0 ? Class::kLv : Class::kLvt;
    const auto* const end = tables::kGraphemeRanges + tables::kNumGraphemeRanges;
    const auto* found = std::lower_bound(
        tables::kGraphemeRanges, end, c,
        [](const tables::GraphemeRange& range, char32_t key) { return range.last < key; });
    return found != end && found->first <= c ? static_cast<Class>(found->value) : Class::kOther;
}

bool is_control(Class c) {
    return c == Class::kCr || c == Class::kLf || c == Class::kControl;
}

/// What a cluster contains so far, as far as later characters ask.
struct Cluster {
    Class last = Class::kOther;
    bool is_pictograph = false;     // \p{Extended_Pictographic} Extend*
    bool after_pictograph = false;  // the same and a ZWJ: GB11
    bool is_conjunct = false;       // a consonant and characters that may stand in a conjunct
    bool has_linker = false;        // a linker among them: GB9c
    size_t num_indicators = 0;      // Regional_Indicators at the end: GB12, GB13

    void add(Class c) {
        const bool extends =
            c == Class::kExtend || c == Class::kConjunctExtend || c == Class::kLinker;
        after_pictograph = is_pictograph && c == Class::kZwj;
        is_pictograph = c == Class::kPictographic || (is_pictograph && extends);
        if (c == Class::kConsonant) {
            is_conjunct = true;
            has_linker = false;
        } else if (c == Class::kLinker) {
            has_linker = is_conjunct;
        } else if (c != Class::kConjunctExtend && c != Class::kZwj) {
            is_conjunct = has_linker = false;
        }
        num_indicators = c == Class::kRegionalIndicator ? num_indicators + 1 : 0;
        last = c;
    }

    bool takes(Class c) const {
        if (last == Class::kCr) return c == Class::kLf;       // GB3
        if (is_control(last) || is_control(c)) return false;  // GB4, GB5
        if (last == Class::kL &&
            (c == Class::kL || c == Class::kV || c == Class::kLv || c == Class::kLvt)) {
            return true;  // GB6
        }
        const bool has_vowel = last == Class::kLv || last == Class::kV;
        if (has_vowel && (c == Class::kV || c == Class::kT)) return true;               // GB7
        if ((last == Class::kLvt || last == Class::kT) && c == Class::kT) return true;  // GB8
        switch (c) {
            case Class::kExtend:
            case Class::kConjunctExtend:
            case Class::kLinker:
            case Class::kZwj:
            case Class::kSpacingMark:
                return true;  // GB9, GB9a
            default:
                break;
        }
        if (last == Class::kPrepend) return true;                          // GB9b
        if (c == Class::kConsonant && has_linker) return true;             // GB9c
        if (c == Class::kPictographic && after_pictograph) return true;    // GB11
        return c == Class::kRegionalIndicator && num_indicators % 2 == 1;  // GB12, GB13
    }
};

}  // namespace

size_t next_grapheme(std::string_view text, size_t begin) {
    Cluster cluster;
    size_t end = begin;
    while (end < text.size()) {
        const Decoded decoded = decode_utf8(text, end);
        const Class c = class_of(decoded.code_point);
        if (end > begin && !cluster.takes(c)) break;
        cluster.add(c);
        end += decoded.length;
    }
    return end;
}

}  // namespace longhaul::text
