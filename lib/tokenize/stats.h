// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `tok-shard stats`: what is in a folder of shards.

#include <string>

#include "lib/base/exit_code.h"

namespace longhaul::tokenize {

/// Prints totals, bytes a token, the lengths of documents and the control tokens in them.
ExitCode run_stats(const std::string& folder, bool as_json);

}  // namespace longhaul::tokenize
