// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Slurm's lists of numbers, "101-109,120" (RequeueExit).

#include <string_view>

namespace longhaul::cluster {

/// True when `list` holds `number`; a list that is none holds nothing.
bool number_list_contains(std::string_view list, int number);

}  // namespace longhaul::cluster
