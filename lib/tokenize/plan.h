// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The plan of an encoding run: which bytes of which inputs form which unit of work. Units, not
// tasks or threads, decide the output.

#include <cstdint>
#include <string>
#include <vector>

#include "lib/io/json_fwd.h"
#include "lib/record/manifest.h"
#include "lib/shards/format.h"
#include "lib/tokenize/job.h"

namespace longhaul::tokenize {

/// A part of an input: whole files, or the lines of a plain file that begin in [begin, end).
struct PlannedSegment {
    uint32_t input = 0;
    uint64_t begin = 0, end = 0;  // bytes as stored
    bool is_whole = true;
};
using Unit = std::vector<PlannedSegment>;

struct Plan {
    std::vector<Unit> units;
    std::vector<uint64_t> input_bytes;  // 0 for stdin
    uint64_t total_bytes = 0;
};

/// Cuts the inputs into units of about job.unit_bytes: small files share a unit, a compressed file
/// or stdin is never cut, and a plain file of lines is cut anywhere (at the next line begin).
/// @throws IoError, UsageError (stdin twice)
Plan make_plan(const EncodeJob& job);

/// The options of a container that decide the output.
void add_container_options(const shards::Container& container, io::Json& options);

/// What plan.json holds: a manifest without outputs, so that a rerun can compare.
record::Manifest plan_manifest(const EncodeJob& job, const Plan& plan,
                               const token::Tokenizer& tokenizer, const shards::Borders& borders);

}  // namespace longhaul::tokenize
