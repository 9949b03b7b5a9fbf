// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `tok-shard selftest`: does the fast path of a tokenizer give what the general one gives?

#include <string>
#include <vector>

#include "lib/base/exit_code.h"
#include "lib/token/load.h"

namespace longhaul::tokenize {

struct SelftestOptions {
    token::TokenizerSource tokenizer;
    std::vector<std::string> files;  // text to try besides the generated one
    uint64_t num_generated = 2000;   // texts of random characters of all kinds
    uint64_t seed = 0;
};

/// Prints what was compared. @return kNegative at the first difference, which is printed.
ExitCode run_selftest(const SelftestOptions& options);

}  // namespace longhaul::tokenize
