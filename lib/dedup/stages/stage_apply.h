// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Stage apply: writes what stays of a unit's inputs, or the unit's part of the removal list, and a
// stage file that says so. Whoever finds all units done completes the output.

#include <optional>
#include <vector>

#include "lib/dedup/output.h"
#include "lib/dedup/removal_list.h"
#include "lib/dedup/stages/stage_units.h"
#include "lib/record/manifest.h"

namespace longhaul::dedup {

/// What a unit wrote.
struct AppliedUnit {
    std::vector<Source> sources;  // of its inputs, with the counts of what went
    std::vector<record::FileEntry> outputs;
};

/// Where decisions of stage cluster go.
struct UnitOutput {
    OutputWriter& writer;
    RemovalList& list;
    std::function<void(const Decision&)> on_removed;
};

/// Reads the unit's inputs again and writes what stays.
/// @param documents the unit's sources get their counts
void apply_decisions(const UnitContext& context, uint64_t unit, Documents& documents,
                     const UnitOutput& output);

/// The same into files of its own, and a stage file. @param target folder, file or none
void apply_unit(const UnitContext& context, Target target, uint64_t unit);

/// What a done unit wrote; nothing when it is to be done: no stage file, one for another output, or
/// outputs that are gone.
std::optional<AppliedUnit> read_applied(const UnitContext& context, Target target, uint64_t unit,
                                        const Documents& documents);

struct ApplySections {
    static constexpr size_t kRemovals = 1;  // lines of the removal list
    static constexpr size_t kCount = 2;
};

}  // namespace longhaul::dedup
