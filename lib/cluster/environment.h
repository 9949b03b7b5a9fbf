// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What Slurm says to a process through SLURM_* variables. Everything works without Slurm: then the
// values are the defaults below.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace longhaul::cluster {

/// The task's place in a job array: task `index` of the ids first, first+step, ..., last.
struct ArrayTask {
    uint64_t index = 0;
    uint64_t first = 0;
    uint64_t last = 0;
    uint64_t step = 1;
    uint64_t count = 1;

    /// This task's position among `count` tasks, from 0: the share of the work to take.
    /// @throws ClusterError when the tasks are not evenly spaced, so that there is no division
    uint64_t position() const;
};

struct Environment {
    std::string job_id;                  // "" outside of a job
    std::optional<ArrayTask> array;      // set in a task of a job array
    uint64_t cpus_per_task = 0;          // 0: not told
    uint64_t memory_bytes_per_node = 0;  // 0: not told (or the whole node)
    std::vector<std::string> hosts;      // of the allocation when the job started
    uint64_t restart_count = 0;          // requeues of this job so far
    uint64_t rank = 0, num_ranks = 1;    // under srun
    uint64_t local_rank = 0;             // on this host
    std::string submit_dir;              // "" outside of a job

    bool is_in_job() const { return !job_id.empty(); }
};

/// Looks a variable up; nullptr when it is not set.
using GetEnv = std::function<const char*(const char* name)>;

/// @param get for tests; default is getenv(3).
/// @throws ClusterError naming the variable when a value is not what Slurm writes
Environment read_environment(const GetEnv& get = {});

/// Which share of numbered units a process does: every `count`-th from `index` on.
struct TaskShare {
    uint64_t index = 0, count = 1;
};
/// The option --task: "2/8" is the third of eight. "": the place in a Slurm job array, else all.
/// @throws UsageError, ClusterError
TaskShare resolve_task_share(const std::string& word, const GetEnv& get = {});

/// This process among those that one mpirun or srun started, by their variables alone: it works
/// without MPI, and under srun without PMI. A batch script is the only process of its step.
/// @throws UsageError when the launcher tells a rank and no number of ranks
TaskShare read_rank_share(const GetEnv& get = {});
/// As resolve_task_share, but without --task the ranks of a launcher divide the share of their
/// array task among them.
TaskShare resolve_ranked_share(const std::string& word, const GetEnv& get = {});

}  // namespace longhaul::cluster
