// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which member or link is bad, from pairwise measurements.
//
// Model: a pair is as slow as its slowest part, t(a,b) = max(s(a), s(b), link(a,b)). A member's own
// time s is therefore what its better pairs reach (the lower quartile), so that neither bad links
// nor bad peers are blamed on it. A link is bad when it is slower than both its ends explain.
// The yardstick is the median member; the tolerance is never tighter than the noise that was
// measured. A floor in GB/s finds what no comparison can: a cluster that is slow everywhere.

#include <vector>

#include "lib/probe/pair_matrix.h"
#include "lib/record/finding.h"

namespace longhaul::probe {

struct IsolationLimits {
    double tolerance = 0.15;         // share of the bandwidth that may be missing
    double latency_tolerance = 1.0;  // share by which the latency may exceed the usual one
    double min_gb_per_s = 0;         // floor for every pair; 0: none
};

/// Findings, worst first; exactly one `ok` finding when nothing is wrong. Members are subjects
/// "host n3" or "rank 3 (n1)", links "link n3-n5".
std::vector<record::Finding> isolate(const PairMatrix& matrix, const IsolationLimits& limits);

/// The pairs that deserve a second measurement alone: those below what the median member explains,
/// slowest first, at most `at_most`. @return indices into matrix.pairs.
std::vector<size_t> suspects(const PairMatrix& matrix, const IsolationLimits& limits,
                             size_t at_most);

}  // namespace longhaul::probe
