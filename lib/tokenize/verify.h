// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `tok-shard verify`: is a folder of shards what its manifest says, and does it decode to its
// sources?

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/record/finding.h"
#include "lib/tokenize/data_source.h"

namespace longhaul::tokenize {

struct VerifyOptions {
    DataSource source;
    uint64_t sample = 1000;  // documents compared with their sources; 0: none
    uint64_t seed = 0;       // which ones
    bool check_hashes = true;
    std::optional<bool> progress;
};

/// Checks structure, hashes, ids, document borders, BOS and EOS, tokenizer, and a sample of texts.
/// @return findings, worst last; never throws for damage of the data itself.
std::vector<record::Finding> verify(const VerifyOptions& options);

}  // namespace longhaul::tokenize
