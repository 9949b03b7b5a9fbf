// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a rank of a run over MPI works with.

#include <cstdint>
#include <functional>

#include "lib/comm/comm.h"
#include "lib/dedup/inputs.h"
#include "lib/dedup/options.h"
#include "lib/dedup/spill.h"

namespace longhaul::dedup {

/// All must outlive it.
struct RankContext {
    comm::Comm& comm;
    const Options& options;  // threads, memory and folders are this rank's
    const MemoryPlan& memory;
    SpillArea& area;
    const Inputs& inputs;  // of all ranks
    bool is_first() const { return comm.rank() == 0; }
};

}  // namespace longhaul::dedup
