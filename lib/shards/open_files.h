// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Large sets have more shards than a process may have files open by default.

#include <cstdint>

namespace longhaul::shards {

/// Raises the soft limit of open files by `count`, as far as the hard limit allows.
/// @throws UsageError: the hard limit is too low.
void allow_open_files(uint64_t count);

}  // namespace longhaul::shards
