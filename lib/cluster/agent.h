// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The way to ask and steer Slurm: runs slurm-agent (the only program that links libslurm) and
// reads the JSON object it prints; falls back to scontrol where the agent is missing or broken.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/cluster/job_info.h"
#include "lib/io/json_fwd.h"

namespace longhaul::cluster {

/// Parses what `slurm-agent job` printed. @throws DataError naming the member
JobInfo job_from_json(const io::Json& json);

/// Not thread-safe. Every call answers within about 10 s (20 s when the fallback is needed) or
/// throws ClusterError: with exit code kNegative when Slurm refused, kFailed when it could not be
/// asked.
class AgentClient {
 public:
    /// Looks for the agent: $LONGHAUL_SLURM_AGENT ("none": never), beside this program, then
    /// in the installed libexec folder.
    AgentClient();

    /// False when there is neither an agent nor scontrol: every call would throw.
    bool is_available() const { return !agent_.empty() || has_scontrol_; }
    /// "slurm-agent", "scontrol" or "": who will be asked.
    std::string how() const;

    JobInfo job(const std::string& job_id) const;
    void requeue(const std::string& job_id) const;
    /// Requeues and holds a running job, holds a pending one.
    void hold(const std::string& job_id, const std::string& comment) const;
    /// Adds to the hosts that a pending job avoids. @return the complete list
    std::string exclude(const std::string& job_id, const std::string& hosts) const;
    void start_now(const std::string& job_id) const;
    /// To all steps of the job, not to its batch script.
    void signal_steps(const std::string& job_id, int signal) const;
    std::vector<NodeInfo> nodes(const std::string& hosts) const;
    SiteConf conf() const;

 private:
    std::optional<io::Json> ask(const std::vector<std::string>& arguments) const;

    std::filesystem::path agent_;  // empty: there is none
    bool has_scontrol_ = false;
};

}  // namespace longhaul::cluster
