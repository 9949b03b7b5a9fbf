// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The insides of JSON strings, by SIMD (Highway, best target chosen at run time); for JsonScanner.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace longhaul::corpus::detail {

/// Passes over the content of a string, valid escapes included, as far as whole vectors reach.
/// Bytes that are not ASCII are not looked at: the text must be known to be UTF-8.
/// @param p behind the opening quote. @param[out] has_escapes set when one was passed
/// @return the closing quote, a control character, a bad escape, or a byte near `end` from where
///         the caller goes on
const char* skip_string_content(const char* p, const char* end, bool& has_escapes);

/// Bytes behind the last one that decode_json_string may write to.
inline constexpr size_t kDecodePadding = 64;

/// Decodes the escapes of a valid JSON string. A lone surrogate becomes U+FFFD.
/// @param[out] out room for escaped.size() + kDecodePadding bytes. @param[out] num_lone surrogates
/// @return bytes written
size_t decode_json_string(std::string_view escaped, char* out, uint32_t& num_lone);

/// Where the first escape of a surrogate without its half stands in a valid JSON string, or npos.
size_t find_lone_surrogate(std::string_view escaped);

}  // namespace longhaul::corpus::detail
