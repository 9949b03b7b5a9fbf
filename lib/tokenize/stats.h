// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `tok-shard stats`: what is in a folder of shards.

#include "lib/base/exit_code.h"
#include "lib/tokenize/data_source.h"

namespace longhaul::tokenize {

/// Prints totals, bytes a token, the lengths of documents and the control tokens in them. Bytes and
/// control tokens need a tokenizer.
ExitCode run_stats(const DataSource& source, bool as_json);

}  // namespace longhaul::tokenize
