// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The batch job around job-guard, asked through AgentClient: an answer that does not come is
// "unknown", never an error, since the run matters more than the question. Outside of a job every
// answer is "unknown".

#include <optional>
#include <string>
#include <vector>

#include "lib/cluster/agent.h"
#include "lib/cluster/environment.h"

namespace longhaul::guard {

class Job {
 public:
    explicit Job(const cluster::Environment& environment) : environment_(environment) {}

    const std::string& id() const { return environment_.job_id; }
    const cluster::Environment& environment() const { return environment_; }

    std::optional<cluster::JobInfo> info() const;
    /// Hosts that the job holds now, without those that Slurm has lost: after a host is lost under
    /// --no-kill they are fewer than in the environment.
    std::vector<std::string> hosts() const;

    /// Requeues, then keeps the job off `excluded`. Slurm's delay before the next start (120 s by
    /// default) can not be lifted from here: Slurm sets it once this script has ended.
    /// @return false when the requeue itself could not be done (already logged).
    bool requeue(const std::vector<std::string>& excluded) const;
    /// Requeues and holds. @return false as above
    bool hold(const std::string& comment) const;
    /// KILL to all steps, so that no rank outlives its launcher.
    void kill_steps() const;

 private:
    bool can_ask() const { return environment_.is_in_job() && agent_.is_available(); }

    cluster::Environment environment_;
    cluster::AgentClient agent_;
};

}  // namespace longhaul::guard
