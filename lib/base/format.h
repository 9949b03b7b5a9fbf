// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The one place that includes fmt: std::format does not exist in g++ 12.

#include <string>

#include <fmt/format.h>

namespace longhaul {

using fmt::format;

}  // namespace longhaul
