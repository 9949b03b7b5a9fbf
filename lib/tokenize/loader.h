// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `tok-shard loader`: the samples that a training run gets from token shards, a proof of their
// order, and how fast they are read.

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/exit_code.h"
#include "lib/tokenize/run_data.h"

namespace longhaul::tokenize {

struct LoaderOptions {
    std::string run;  // RUN, whose run.toml says all of `data`; "": `data` as given
    RunData data;
    bool checks = false, benches = false;  // else the samples are listed
    int64_t steps = 0;
    uint64_t from = 0;  // list: first sample number
    bool as_json = false;
};

/// Lists the samples of steps, or checks, or measures.
/// @return kNegative when the check finds a violation. @throws UsageError, DataError
ExitCode run_loader(LoaderOptions options);

}  // namespace longhaul::tokenize
