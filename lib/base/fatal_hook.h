// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What run_main() calls before it exits on an error. lib/comm registers MPI_Abort here, so that
// cli and base know no MPI and a failed rank never leaves the others waiting.

#include <functional>

#include "lib/base/exit_code.h"

namespace longhaul {

/// Replaces the hook; an empty function removes it.
void set_fatal_hook(std::function<void(ExitCode)> hook);
/// Calls the hook, if any. It may not return.
void call_fatal_hook(ExitCode code);

}  // namespace longhaul
