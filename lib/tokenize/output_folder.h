// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The state of an output folder before work begins.

#include <string>

#include "lib/record/manifest.h"
#include "lib/tokenize/job.h"

namespace longhaul::tokenize {

/// The one .bin of a merged Megatron set while tasks write their parts of it.
inline constexpr const char* kPartialBin = ".tokens.bin.partial";

/// Compares with plan.json or writes it. @return true when the folder is complete already. Tasks of
/// an array may come here at once: each writes the same plan, before anything else.
/// @param force removes what an earlier run left, where the folder is tok-shard's; what else lies
///        in such a folder stays
/// @throws UsageError: made differently, by another program, or --force with several tasks
bool prepare_output(const std::string& output, bool force, Task task,
                    const record::Manifest& asked);

}  // namespace longhaul::tokenize
