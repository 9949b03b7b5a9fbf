// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Runs all checks over a snapshot and gives the report in its forms.

#include <string>
#include <utility>
#include <vector>

#include "lib/health/check.h"
#include "lib/io/json_fwd.h"

namespace longhaul::health {

struct Report {
    std::string host;
    Findings findings;                                         // in the order of the checks
    std::vector<std::pair<std::string, std::string>> skipped;  // check, why
};

/// A pure function of `world`.
Report run_checks(const World& world);

/// Problems of the state file as a note.
void add_state_note(const State& state, Findings& findings);

io::Json to_json(const Report& report);
/// Findings worst first, then what was skipped when `verbose`; ok ones only when `verbose`, or
/// when there is nothing else.
std::string to_text(const Report& report, bool verbose);
/// Prometheus text format: one gauge for each finding that is not ok, and the worst status.
std::string to_prometheus(const Report& report);

}  // namespace longhaul::health
