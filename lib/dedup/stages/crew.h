// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One process's share of the units of the stages over one work directory.

#include <cstdint>
#include <functional>
#include <vector>

#include "lib/cluster/environment.h"
#include "lib/dedup/stages/stage_units.h"

namespace longhaul::dedup {

class Crew {
 public:
    /// @param given threads, memory, folders and outputs; what decides the output is the plan's
    Crew(const Work& work, const Options& given, const cluster::TaskShare& share);

    /// Does the units of the share that are not done. Not for stage apply.
    void run(Stage stage);
    /// The units of the share.
    std::vector<uint64_t> units(Stage stage) const;
    /// Bytes of their inputs.
    uint64_t bytes_of(Stage stage, const std::vector<uint64_t>& units) const;
    const Options& options() const { return options_; }
    /// @param on_bytes told of bytes of the inputs as they are read
    UnitContext context(std::function<void(uint64_t)> on_bytes);

 private:
    void run_in_threads(const std::vector<uint64_t>& units);

    const Work& work_;
    Options options_;
    cluster::TaskShare share_;
    MemoryPlan memory_;
    SpillArea area_;
};

}  // namespace longhaul::dedup
