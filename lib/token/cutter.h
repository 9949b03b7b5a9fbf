// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Cuts texts into the pieces of a scheme, 64 bytes at a time: classes of characters become masks of
// one bit a byte, a pattern becomes arithmetic on them, and its result is a bit where a piece
// starts. What a scheme's arithmetic does not cover (marks where letters and others both may have
// them, for example) is done again by the scanner, from a space between two words to another.

#include <array>
#include <cstdint>
#include <string_view>

#include "lib/token/scheme.h"

namespace longhaul::token {

/// Immutable and small; may be used in parallel.
class Cutter {
 public:
    /// Bytes looked at by one call of cut(), and most pieces it finds.
    static constexpr size_t kWindow = 2048;
    /// cut() writes up to here, beyond what it returns.
    static constexpr size_t kEndsRoom = kWindow + 64;
    using Ends = std::array<uint32_t, kEndsRoom>;

    explicit Cutter(Scheme scheme);

    /// Finds the pieces from `begin` on, where one starts. @param text well-formed UTF-8; anything
    /// else is cut somehow, without harm. @param begin below text.size(). @param[out] ends where
    /// the pieces end, from `begin`. @return how many; 0: the first is too long for this, ask
    /// next_piece()
    size_t cut(std::string_view text, size_t begin, Ends& ends) const;

    Scheme scheme() const { return scheme_; }

 private:
    Scheme scheme_;
    const uint8_t* classes_;  // of all code points below detail::kNumClasses
};

namespace detail {

// Classes of characters in the tables of the cutter, as bits. None: others.
enum CutClass : uint8_t {
    kCutLetter = 1,
    kCutNumber = 2,
    kCutSpace = 4,
    kCutHard = 8,    // left to the scanner; otherwise like "others"
    kCutUpper = 16,  // a letter that is upper case only
    kCutLower = 32,  // a letter that is lower case only
    kCutApart = 64,  // DeepSeek: CJK; Kimi: Han; Falcon: punctuation
};
/// Code points below this are looked up, the rest computed.
inline constexpr char32_t kNumClasses = 0x20000;

/// Class of a code point. @param c below 0x110000
template <Scheme kScheme>
uint8_t cut_class(char32_t c);
/// The same at run time, for what the tables do not have.
uint8_t cut_class(Scheme scheme, char32_t c);

/// One window: what Cutter::cut() works on.
struct Window {
    const char* text;  // from where the pieces start
    size_t size;       // bytes from there to the end of the text
    const uint8_t* classes;
    size_t skip = 0;  // Falcon: bytes of the first character that are before the pieces
};

}  // namespace detail
}  // namespace longhaul::token
