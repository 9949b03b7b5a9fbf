// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The report of a run: one JSON object (dedup-minhash.1, "REPORT") and a few lines for people.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/dedup/cluster.h"
#include "lib/dedup/group.h"
#include "lib/dedup/inputs.h"
#include "lib/dedup/options.h"
#include "lib/dedup/sign.h"
#include "lib/dedup/survey.h"
#include "lib/io/json_fwd.h"

namespace longhaul::dedup {

/// What a stage cost.
struct StageCost {
    std::string name;
    double wall_s = 0;
    double cpu_s = 0;             // all threads
    uint64_t peak_rss_bytes = 0;  // of the process so far
    uint64_t text_bytes = 0;      // decompressed text that passed through it
};

/// Measures one stage after the other.
class StageClock {
 public:
    StageClock();
    void end_stage(const std::string& name, uint64_t text_bytes);
    const std::vector<StageCost>& costs() const { return costs_; }

 private:
    std::chrono::steady_clock::time_point wall_;
    double cpu_s_ = 0;
    std::vector<StageCost> costs_;
};

/// Everything a report tells.
struct RunFacts {
    const Options& options;
    const Inputs& inputs;
    const std::vector<Source>& sources;
    const Inputs& all_inputs;  // after those of the indexes
    const std::vector<Source>& all_sources;
    const corpus::BadRecords& bad;
    const ClusterCounts& counts;
    const GroupCounts& groups;
    const Survey& survey;
    const std::vector<StageCost>& stages;
    uint64_t spilled_bytes = 0;
};

io::Json report_json(const RunFacts& facts);
/// "12345 documents in, 11000 kept, 900 exact and 445 near duplicates removed", and more lines.
std::vector<std::string> report_lines(const RunFacts& facts);

/// Sums of all sources.
Source total_of(const std::vector<Source>& sources);

}  // namespace longhaul::dedup
