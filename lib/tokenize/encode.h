// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// tok-shard's main work: documents in, a folder of token shards out.

#include "lib/base/exit_code.h"
#include "lib/tokenize/job.h"

namespace longhaul::tokenize {

/// Encodes this task's units and, when no unit is left, writes the tokenizer folder and the
/// manifest. Complete with the same options: returns at once. Unfinished: resumes.
/// @throws UsageError: DIR was made differently; DataError: damaged input, too many bad records
ExitCode run_encode(const EncodeJob& job);

}  // namespace longhaul::tokenize
