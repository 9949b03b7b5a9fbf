// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `tok-shard batch`: which documents did a step of a training run see? Answers "what was in the
// data when the loss jumped" from the run directory and the shards alone.

#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/exit_code.h"

namespace longhaul::tokenize {

struct BatchOptions {
    std::string run;                 // RUN, with run.toml and metrics.jsonl
    uint64_t step = 0;               // as in metrics.jsonl
    std::optional<uint64_t> sample;  // place in the batch; nothing: all
    uint64_t width = 200;            // bytes of text shown a document; 0: all
    bool as_json = false;
};

/// Prints the samples of the step, and of each its documents: file, record, tokens, text.
/// @throws DataError: the step is not in metrics.jsonl; the data is not that of the run
ExitCode run_batch(const BatchOptions& options);

}  // namespace longhaul::tokenize
