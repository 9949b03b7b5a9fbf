// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The plan of a run in stages, WORK/plan.json: what the inputs were, the options that decide the
// output, and the units of work. Units, not tasks, decide what the stage files hold.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/base/hash.h"
#include "lib/dedup/inputs.h"
#include "lib/dedup/options.h"

namespace longhaul::dedup {

/// How the work is cut; 0: chosen.
struct PlanRequest {
    uint64_t num_units = 0;   // of the stages that read the inputs
    uint64_t unit_bytes = 0;  // instead: bytes of input of a unit, as stored
    uint64_t num_splits = 0;  // ranges of keys of a band
    bool is_given() const { return num_units + unit_bytes + num_splits > 0; }
};

struct PlannedInput {
    std::string path;      // as given
    uint64_t bytes = 0;    // as stored
    int64_t mtime_ns = 0;  // 0 for a stream
    bool is_stream = false;
};

struct Plan {
    Options options;     // only what decides the output, and where the indexes are
    std::string folder;  // that relative paths start from
    std::vector<PlannedInput> inputs;
    std::vector<uint64_t> unit_ends;  // unit u holds the inputs from unit_ends[u-1] on below this
    uint64_t num_splits = 1;
    Hash128 hash;

    uint64_t num_units() const { return unit_ends.size(); }
    uint64_t unit_begin(uint64_t unit) const { return unit == 0 ? 0 : unit_ends[unit - 1]; }
};

/// Cuts the inputs: neighbours share a unit until it has its bytes; a file is never cut.
Plan make_plan(const Options& options, const Inputs& inputs, const PlanRequest& request);

std::filesystem::path plan_path(const std::filesystem::path& work);
/// The complete file, its own hash at the end.
std::string plan_text(const Plan& plan);
/// @throws UsageError when there is none, DataError when it is damaged
Plan read_plan(const std::filesystem::path& work);

/// Writes the plan into WORK, which is made. An equal one is left as it is.
/// @return false when it was there
/// @throws UsageError naming the first difference to the plan there; with `is_forced` only when
///         something was made by it
bool write_plan(const std::filesystem::path& work, const Plan& plan, bool is_forced);

/// The planned inputs as they are read. @throws UsageError when relative names mean other files
/// here than where the plan was made
Inputs inputs_of(const Plan& plan);
/// The same for a plan of another folder: relative names are made absolute there.
Inputs inputs_of_index(const Plan& plan);
/// @throws DataError naming an input whose size or time is not that of the plan
void check_unchanged(const Plan& plan, uint64_t unit);

}  // namespace longhaul::dedup
