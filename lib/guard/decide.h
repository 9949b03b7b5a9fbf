// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// From a verdict to what is done about it. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/guard/classify.h"
#include "lib/guard/policy.h"

namespace longhaul::guard {

enum class Action {
    kDone,     // the run is complete: exit 0
    kRestart,  // again, in this allocation
    kRequeue,  // back into the queue
    kHold,     // back into the queue, held: exit 93
    kStop,     // give up: exit with the command's code
    kLeave,    // Slurm is ending the job already: exit 75 and touch nothing
};
const char* action_name(Action action);

/// What may be done, and what was done before.
struct Situation {
    std::optional<cluster::JobInfo> job;
    uint64_t num_hosts_left = 0;  // usable ones of the allocation
    uint64_t num_hosts_needed = 0;
    bool can_avoid_hosts = false;  // the launcher takes a list of hosts to leave out
    bool has_bad_hosts = false;    // some usable host of the allocation must be left out
    uint64_t restarts_without_progress = 0;
    uint64_t num_requeues = 0;
};

struct Decision {
    Action action = Action::kStop;
    std::string reason;  // why this and nothing else, for people
};

Decision decide(const Verdict& verdict, const Situation& situation, const Policy& policy);

}  // namespace longhaul::guard
