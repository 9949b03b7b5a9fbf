// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Forward declaration of Json for headers; the real thing is lib/io/json.h.

#include <nlohmann/json_fwd.hpp>

namespace longhaul::io {

using Json = nlohmann::ordered_json;

}  // namespace longhaul::io
