// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What Slurm knows about a job, a node and the site, without any Slurm header.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace longhaul::cluster {

struct JobInfo {
    std::string job_id;
    std::string state;               // PENDING, RUNNING, CANCELLED, ...; scontrol hides it behind
                                     // COMPLETING while the last processes end
    std::vector<std::string> flags;  // COMPLETING, REQUEUED, ...
    std::string reason;              // JobHeldUser, BeginTime, ...
    std::string partition;
    std::string nodes;  // compact list; shrinks when a node is lost under --no-kill
    std::string batch_host;
    std::string excluded_nodes;
    uint64_t restart_count = 0;
    bool requeue = false;  // Slurm may put the job back into the queue
    int64_t end_unix_s = 0;
    int64_t preempt_unix_s = 0;  // 0: nobody has preempted it
    std::optional<int64_t> time_limit_s;
    std::optional<int64_t> time_left_s;  // nothing without a limit, or when it does not run
    std::string comment;
    std::string work_dir;

    bool is_running() const { return state == "RUNNING"; }
    bool has_flag(std::string_view flag) const {
        return std::find(flags.begin(), flags.end(), flag) != flags.end();
    }
};

struct NodeInfo {
    std::string name;
    std::string state;               // IDLE, ALLOCATED, MIXED, DOWN, UNKNOWN
    std::vector<std::string> flags;  // DRAIN, NOT_RESPONDING, ...
    std::string reason;

    bool has_flag(std::string_view flag) const {
        return std::find(flags.begin(), flags.end(), flag) != flags.end();
    }
    /// Gone for work that runs on it now (a draining node is not).
    bool is_lost() const { return state == "DOWN" || has_flag("NOT_RESPONDING"); }
};

struct PartitionInfo {
    std::string name;
    std::string preempt_mode;  // REQUEUE, CANCEL, SUSPEND, OFF; CLUSTER: the cluster's PreemptMode
    int64_t grace_time_s = 0;
    std::optional<int64_t> max_time_s;
};

struct SiteConf {
    std::map<std::string, std::string> keys;  // as `scontrol show config` prints them
    std::vector<PartitionInfo> partitions;

    /// The text of a key; "" when absent or "(null)".
    std::string text(const std::string& key) const {
        const auto found = keys.find(key);
        return found == keys.end() || found->second == "(null)" ? "" : found->second;
    }
    /// The leading number of a key's text ("30 sec").
    std::optional<int64_t> number(const std::string& key) const;
};

}  // namespace longhaul::cluster
