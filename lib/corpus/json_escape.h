// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Text to the inside of a JSON string (RFC 8259 section 7), by SIMD.

#include <cstddef>
#include <string_view>

namespace longhaul::corpus::detail {

/// Bytes that escape_json may write for each byte of text, and behind the last one.
inline constexpr size_t kMaxEscapedBytes = 6, kEscapePadding = 64;

/// Escapes quotes, backslashes and control characters; all other bytes stay as they are.
/// @param[out] out room for kMaxEscapedBytes * text.size() + kEscapePadding bytes
/// @return bytes written
size_t escape_json(std::string_view text, char* out);

}  // namespace longhaul::corpus::detail
