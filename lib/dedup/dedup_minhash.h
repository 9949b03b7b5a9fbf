// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The program dedup-minhash: sign, group, cluster and apply in one process.

#include <string>

#include "lib/base/exit_code.h"
#include "lib/dedup/options.h"

namespace longhaul::dedup {

/// Removes duplicates as asked (dedup-minhash.1). Results to the outputs, summary to the log.
/// @throws UsageError, IoError, DataError
ExitCode run(const Options& options);

/// What run() would do: inputs, parameters, S-curve, outputs, memory; nothing is read or written.
std::string describe_plan(const Options& options);

}  // namespace longhaul::dedup
