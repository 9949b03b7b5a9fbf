// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The [data] of a training run as its run.toml says it.

#include <cstdint>
#include <string>
#include <vector>

#include "lib/config/toml_values.h"
#include "lib/shards/blend.h"
#include "lib/shards/cursor.h"

namespace longhaul::tokenize {

struct RunData {
    std::vector<shards::BlendPart> parts;
    shards::BlendOptions options;  // with the seed of the phase
    int64_t phase = 0;
    int64_t global_batch = 8, micro_batch = 4, steps = 0;
    std::vector<shards::SkipRange> skip;
};

/// @param source names the file in errors. @throws DataError: no data.train or data.seq_len
RunData read_run_data(const config::TomlValues& run, const std::string& source);

/// Opens its folders. @param source run.toml, which names them; "": the command line did
shards::Blend open_blend(const RunData& data, const std::string& source);

}  // namespace longhaul::tokenize
