// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cluster/environment.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "lib/base/error.h"
#include "lib/cluster/hostlist.h"

namespace longhaul::cluster {
namespace {

class Variables {
 public:
    explicit Variables(const GetEnv& get) : get_(get) {}

    std::string text(const char* name) const {
        const char* value = get_ ? get_(name) : std::getenv(name);
        return value ? value : "";
    }

    /// @return nothing when the variable is unset or empty.
    std::optional<uint64_t> number(const char* name) const {
        const std::string value = text(name);
        if (value.empty()) return std::nullopt;
        uint64_t result = 0;
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), result);
        if (error != std::errc() || end != value.data() + value.size()) {
            throw ClusterError(
                format("environment variable {}: \"{}\" is not a number", name, value));
        }
        return result;
    }

 private:
    const GetEnv& get_;
};

std::optional<ArrayTask> read_array(const Variables& variables) {
    const auto index = variables.number("SLURM_ARRAY_TASK_ID");
    if (!index) return std::nullopt;
    ArrayTask task;
    task.index = *index;
    task.first = variables.number("SLURM_ARRAY_TASK_MIN").value_or(*index);
    task.last = variables.number("SLURM_ARRAY_TASK_MAX").value_or(*index);
    task.step = std::max<uint64_t>(variables.number("SLURM_ARRAY_TASK_STEP").value_or(1), 1);
    task.count = variables.number("SLURM_ARRAY_TASK_COUNT").value_or(1);
    return task;
}

/// SLURM_MEM_PER_NODE, or SLURM_MEM_PER_CPU times the CPUs of this node; both in MiB.
uint64_t read_memory(const Variables& variables) {
    const auto per_node = variables.number("SLURM_MEM_PER_NODE");
    if (per_node) return *per_node << 20;
    const auto per_cpu = variables.number("SLURM_MEM_PER_CPU");
    const auto cpus = variables.number("SLURM_CPUS_ON_NODE");
    return per_cpu && cpus ? (*per_cpu * *cpus) << 20 : 0;
}

}  // namespace

uint64_t ArrayTask::position() const {
    const bool is_even = index >= first && index <= last && (index - first) % step == 0 &&
                         (last - first) / step + 1 == count;
    if (!is_even) {
        throw ClusterError(format(
            "job array: task {} of {} tasks from {} to {} in steps of {} is not an evenly spaced "
            "list; submit with --array=0-N so that the work can be divided",
            index, count, first, last, step));
    }
    return (index - first) / step;
}

Environment read_environment(const GetEnv& get) {
    const Variables variables(get);
    Environment result;
    result.job_id = variables.text("SLURM_JOB_ID");
    if (result.job_id.empty()) return result;
    result.array = read_array(variables);
    result.cpus_per_task = variables.number("SLURM_CPUS_PER_TASK").value_or(0);
    result.memory_bytes_per_node = read_memory(variables);
    result.hosts =
        with_context([&] { return expand_hostlist(variables.text("SLURM_JOB_NODELIST")); },
                     "reading SLURM_JOB_NODELIST");
    result.restart_count = variables.number("SLURM_RESTART_COUNT").value_or(0);
    result.rank = variables.number("SLURM_PROCID").value_or(0);
    result.num_ranks = variables.number("SLURM_STEP_NUM_TASKS").value_or(1);
    result.local_rank = variables.number("SLURM_LOCALID").value_or(0);
    result.submit_dir = variables.text("SLURM_SUBMIT_DIR");
    return result;
}

TaskShare read_rank_share(const GetEnv& get) {
    const Variables variables(get);
    struct Launcher {
        const char *rank, *size;
    };
    // mpirun inside of a Slurm job starts its helpers by srun: its own variables come first.
    for (const Launcher& launcher :
         {Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
          Launcher{"PMI_RANK", "PMI_SIZE"}, Launcher{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}}) {
        const auto rank = variables.number(launcher.rank);
        const auto size = variables.number(launcher.size);
        if (rank && size && *rank < *size) return {*rank, *size};
    }
    const uint64_t rank = variables.number("PMIX_RANK").value_or(0);
    if (rank == 0) return {};
    throw UsageError(
        format("PMIX_RANK={}, but the launcher does not tell the number of processes; give each "
               "its --task I/N",
               rank));
}

TaskShare resolve_ranked_share(const std::string& word, const GetEnv& get) {
    const TaskShare share = resolve_task_share(word, get);
    if (!word.empty()) return share;
    const TaskShare rank = read_rank_share(get);
    return {share.index * rank.count + rank.index, share.count * rank.count};
}

TaskShare resolve_task_share(const std::string& word, const GetEnv& get) {
    if (word.empty()) {
        const Environment environment = read_environment(get);
        if (!environment.array) return {};
        return {environment.array->position(), environment.array->count};
    }
    TaskShare share;
    const char* const end = word.data() + word.size();
    const auto index = std::from_chars(word.data(), end, share.index);
    const bool has_slash = index.ec == std::errc() && index.ptr != end && *index.ptr == '/';
    const auto count = has_slash ? std::from_chars(index.ptr + 1, end, share.count) : index;
    if (!has_slash || count.ec != std::errc() || count.ptr != end || share.index >= share.count) {
        throw UsageError(format("--task \"{}\": not I/N with 0 <= I < N", word));
    }
    return share;
}

}  // namespace longhaul::cluster
