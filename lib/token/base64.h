// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Strict base64 with padding (RFC 4648, section 4).

#include <optional>
#include <string>
#include <string_view>

namespace longhaul::token {

/// The bytes of `text`, or nothing when it is empty or not base64.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace longhaul::token
