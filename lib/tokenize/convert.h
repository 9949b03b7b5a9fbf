// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `tok-shard convert`: the same documents in shards of another format.

#include <optional>
#include <string>

#include "lib/base/exit_code.h"
#include "lib/tokenize/data_source.h"
#include "lib/tokenize/job.h"

namespace longhaul::tokenize {

struct ConvertJob {
    DataSource source;
    std::string output;
    shards::Container container;
    bool has_max_tokens = false;  // container.max_tokens is asked for; else that of the source
    bool is_merged = false;       // Megatron: one prefix instead of one for each shard
    int threads = 1;
    std::string tmp_dir;
    Task task;
    bool force = false;
    std::optional<bool> progress;
};

/// Converts this task's shards and, when none is left, completes the folder. Units stay units, and
/// are cut into shards as encoding into the format would cut them, so converting back gives the
/// bytes of the first folder. Complete with the same options: returns at once. Unfinished: resumes.
/// @throws UsageError: the folder was made differently, or the source has lost its documents;
///         DataError: damaged source
ExitCode run_convert(const ConvertJob& job);

}  // namespace longhaul::tokenize
