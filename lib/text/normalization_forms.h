// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The normalisation forms by Unicode 16.0 or by the older data that HF tokenizers uses. Source:
// UAX 15, Unicode 16.0.0.

#include <string>
#include <string_view>

#include "lib/text/unicode.h"

namespace longhaul::text {

/// Which characters count as known. HF tokenizers 0.20-0.23 normalises with Unicode 9.0 data:
/// characters added later have no decomposition and combining class 0 there.
enum class UnicodeData { k16, k9 };

/// Canonical combining class, 0 for starters.
uint8_t combining_class(char32_t c, UnicodeData data = UnicodeData::k16);
/// Appends the full canonical decomposition (not yet ordered).
void append_decomposition(char32_t c, std::u32string& out, UnicodeData data = UnicodeData::k16);
/// The primary composite of a pair, or 0.
char32_t compose_pair(char32_t first, char32_t second, UnicodeData data = UnicodeData::k16);

/// The four normalisation forms.
enum class Form : uint8_t { kNfc, kNfd, kNfkc, kNfkd };

// Text must be well-formed UTF-8 (invalid bytes become U+FFFD). ASCII runs cost a scan only; time
// is linear but for sorting runs of combining marks.
std::string normalize(std::string_view text, Form form, UnicodeData data = UnicodeData::k16);
inline std::string nfd(std::string_view text, UnicodeData data = UnicodeData::k16) {
    return normalize(text, Form::kNfd, data);
}
inline std::string nfc(std::string_view text, UnicodeData data = UnicodeData::k16) {
    return normalize(text, Form::kNfc, data);
}
/// A fast answer: true when normalize() surely changes nothing, because each character stands for
/// itself and joins no neighbour. False says nothing.
bool is_surely_normal(std::string_view text, Form form);
/// The same for kNfc, by vectors.
bool is_surely_nfc(std::string_view text);

}  // namespace longhaul::text
