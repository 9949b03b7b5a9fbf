// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Canonical normalisation (NFC, NFD) by Unicode 16.0 or by the older data that HF tokenizers uses.
// Source: UAX 15, Unicode 16.0.0. Compatibility forms (NFKC, NFKD) are not here.

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

// Text must be well-formed UTF-8 (invalid bytes become U+FFFD). ASCII runs cost a scan only.
std::string nfd(std::string_view text, UnicodeData data = UnicodeData::k16);
std::string nfc(std::string_view text, UnicodeData data = UnicodeData::k16);
/// True when nfc() surely changes nothing: every character is below U+0300 (Latin-1 and Latin
/// Extended compose already). False says nothing.
bool is_surely_nfc(std::string_view text);

}  // namespace longhaul::text
