// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What is looked at before an output is written or called complete.

#include <string>
#include <vector>

#include "lib/token/tokenizer.h"
#include "lib/tokenize/job.h"

namespace longhaul::tokenize {

/// For a file that is about to be written as `option` asks.
/// @throws UsageError: it is one of the inputs, or "-"
void check_output_path(const std::string& path, const char* option,
                       const std::vector<std::string>& inputs);

/// For an output that has its manifest: the manifest can be read, each shard is there with its
/// size, DIR/tokenizer/ is that tokenizer, and inputs touched since hold the bytes of then.
/// @throws UsageError naming the file and the remedy
void check_complete(const EncodeJob& job, const token::Tokenizer& tokenizer);

}  // namespace longhaul::tokenize
