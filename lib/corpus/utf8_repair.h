// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What is not UTF-8: replaced, or passed over.

#include <cstdint>
#include <string>
#include <string_view>

namespace longhaul::corpus {

/// Appends `text` to `out` with U+FFFD for each maximal subpart of an ill-formed sequence (Unicode
/// 16.0, section 3.9.6; as in WHATWG's decoder and Python's errors="replace"). Linear time.
/// @return how many were put
uint64_t append_repaired_utf8(std::string_view text, std::string& out);

/// `text` with the ASCII character DEL for every byte of an ill-formed sequence: as long as the
/// text, so that what is found in it stands at the same place there. Linear time.
std::string masked_utf8(std::string_view text);
/// Bytes of ill-formed sequences.
uint64_t count_invalid_utf8_bytes(std::string_view text);

}  // namespace longhaul::corpus
