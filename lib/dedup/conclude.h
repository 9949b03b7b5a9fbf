// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The end of a run, whichever way it went: manifests, report, samples and a summary.

#include <vector>

#include "lib/dedup/inputs.h"
#include "lib/dedup/options.h"
#include "lib/dedup/output.h"
#include "lib/dedup/report.h"
#include "lib/record/manifest.h"

namespace longhaul::dedup {

/// What was done.
struct Outcome {
    const Options& options;
    const Inputs& inputs;
    Target target;
    const std::vector<Source>& sources;
    // The same after those of the indexes: what ids count through.
    const Inputs& all_inputs;
    const std::vector<Source>& all_sources;
    std::vector<record::FileEntry> outputs;
    record::FileEntry removal_list;
    corpus::BadRecords bad;
    ClusterCounts counts;
    GroupCounts groups;
    Survey survey;
    uint64_t spilled_bytes = 0;
};

/// Pairs of documents that the report and --show-samples want.
size_t num_survey_pairs(const Options& options);

/// Writes the manifests. First, so that a crash from here on leaves no output that nobody can
/// account for.
void publish(const Outcome& outcome);
/// Report, samples and summary. @param clock "survey" is added
void conclude(Outcome& outcome, StageClock& clock);

}  // namespace longhaul::dedup
