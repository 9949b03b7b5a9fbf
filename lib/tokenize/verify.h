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
#include "lib/tokenize/verify_sample.h"

namespace longhaul::tokenize {

struct VerifyOptions {
    DataSource source;
    VerifySample sample;  // compared with their sources; 0: none
    bool check_hashes = true;
    std::optional<bool> progress;
};

/// Checks structure, hashes, ids, document borders, BOS and EOS, tokenizer, the policies
/// that the manifest records, and a sample of texts.
/// @return findings, worst last; never throws for damage of the data itself.
std::vector<record::Finding> verify(const VerifyOptions& options);

}  // namespace longhaul::tokenize
