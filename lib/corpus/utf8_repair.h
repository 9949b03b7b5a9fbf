// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What is not UTF-8, replaced.

#include <cstdint>
#include <string>
#include <string_view>

namespace longhaul::corpus {

/// Appends `text` to `out` with U+FFFD for each maximal subpart of an ill-formed sequence (Unicode
/// 16.0, section 3.9.6; as in WHATWG's decoder and Python's errors="replace"). Linear time.
/// @return how many were put
uint64_t append_repaired_utf8(std::string_view text, std::string& out);

}  // namespace longhaul::corpus
