// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One run of gpu-health: read or replay, judge, test, keep the state.

#include <atomic>
#include <functional>
#include <string>

#include "lib/health/active.h"
#include "lib/health/collect.h"
#include "lib/health/run.h"

namespace longhaul::health {

struct RunOptions {
    Context context = Context::kNone;
    Policy policy;
    CollectOptions collect;
    std::string input;       // a recording; empty: this node
    std::string state;       // file of the last run; empty: none
    bool is_active = false;  // also the active tests
    ActiveOptions active;
};

/// Time for all readings when nothing else is said: Slurm blocks a node on a slow prolog and kills
/// a health check after 60 s.
double default_deadline_s(Context context);

/// Reads and judges. The state is written only in a context: a run by hand looks but does not
/// consume, so what it saw is still new to the next prolog.
Report run_once(const RunOptions& options);

/// Runs every `every_s` seconds until `stop` is set; calls `on_change` when the findings differ
/// from those of the run before, and `on_run` each time.
void watch(const RunOptions& options, double every_s, const std::atomic<bool>& stop,
           const std::function<void(const Report&)>& on_change,
           const std::function<void(const Report&)>& on_run);

}  // namespace longhaul::health
