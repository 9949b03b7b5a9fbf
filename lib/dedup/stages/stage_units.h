// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One unit of work of each stage: reads the files of earlier stages, writes its own. Each may run
// in a process of its own.

#include <cstdint>
#include <functional>

#include "lib/dedup/group.h"
#include "lib/dedup/options.h"
#include "lib/dedup/spill.h"
#include "lib/dedup/stages/work.h"

namespace longhaul::dedup {

/// What a unit works with; all must outlive it.
struct UnitContext {
    const Work& work;
    const Options& options;  // those of the plan, and threads, memory and folders of this process
    const MemoryPlan& memory;
    SpillArea& area;
    std::function<void(uint64_t)> on_bytes;  // told of stored bytes of the inputs as they are read
};

/// A set that stage exact wrote.
IdSet read_id_set(const StageReader& file, size_t section, uint64_t num_ids);

/// Reads the unit's inputs: exact hashes and band keys of their documents.
void sign_unit(const UnitContext& context, uint64_t unit);
/// Finds equal documents, in all units. Checks --max-bad-records, which needs all counts.
void exact_unit(const UnitContext& context, uint64_t unit);
/// Finds the groups of equal keys of a part: of a band, one range of keys.
void group_unit(const UnitContext& context, uint64_t part);
/// Reads the unit's inputs that hold candidates again: their shingle sets.
void shingles_unit(const UnitContext& context, uint64_t unit);
/// Decides what goes.
void cluster_unit(const UnitContext& context, uint64_t unit);

}  // namespace longhaul::dedup
