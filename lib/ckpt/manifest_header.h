// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The "header" member of MANIFEST.json.

#include <string>
#include <string_view>

#include "lib/ckpt/manifest.h"

namespace longhaul::ckpt {

/// One canonical line. @throws DataError when a `*_json` member is not JSON.
std::string header_json(const Header& header);
/// @throws DataError naming `source` and the member.
Header parse_header(std::string_view json, const std::string& source);

}  // namespace longhaul::ckpt
