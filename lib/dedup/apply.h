// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The second reading of a run in one process: makes the shingle sets of candidates, lets the
// Clusterer decide, and copies the lines that stay, byte for byte.

#include <functional>
#include <vector>

#include "lib/dedup/cluster.h"
#include "lib/dedup/group.h"
#include "lib/dedup/inputs.h"
#include "lib/dedup/output.h"
#include "lib/dedup/removal_list.h"

namespace longhaul::dedup {

/// Everything the second reading needs; all must outlive apply().
struct ApplyContext {
    const Inputs& inputs;
    const Options& options;
    const MemoryPlan& memory;
    ExactGroups& exact;
    BandGroups& bands;
    Clusterer& clusterer;
    OutputWriter& output;
    RemovalList& removal_list;
    /// Told of every removed document (exact and near), in input order.
    std::function<void(const Decision&)> on_removed;
    std::function<void(uint64_t)> on_bytes;
};

/// @param sources counts of removed and kept documents are added
/// @throws DataError when an input has changed since the first reading
void apply(const ApplyContext& context, std::vector<Source>& sources);

}  // namespace longhaul::dedup
