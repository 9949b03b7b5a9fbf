// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cluster/environment.h"

#include <doctest/doctest.h>

#include <map>

#include "lib/base/error.h"

using namespace longhaul;
using namespace longhaul::cluster;

namespace {

Environment read(const std::map<std::string, std::string>& variables) {
    return read_environment([&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
}

}  // namespace

TEST_CASE("environment: defaults outside of a job") {
    const Environment environment = read({{"SLURM_CPUS_PER_TASK", "9"}});
    CHECK_FALSE(environment.is_in_job());
    CHECK(environment.cpus_per_task == 0);
    CHECK_FALSE(environment.array);
    CHECK(environment.num_ranks == 1);
}

TEST_CASE("environment: a task of a job array") {
    const Environment environment = read({{"SLURM_JOB_ID", "17"},
                                          {"SLURM_ARRAY_TASK_ID", "6"},
                                          {"SLURM_ARRAY_TASK_MIN", "2"},
                                          {"SLURM_ARRAY_TASK_MAX", "8"},
                                          {"SLURM_ARRAY_TASK_STEP", "2"},
                                          {"SLURM_ARRAY_TASK_COUNT", "4"},
                                          {"SLURM_CPUS_PER_TASK", "3"},
                                          {"SLURM_JOB_NODELIST", "n[1-2]"},
                                          {"SLURM_RESTART_COUNT", "2"},
                                          {"SLURM_MEM_PER_NODE", "2048"}});
    REQUIRE(environment.array);
    CHECK(environment.array->position() == 2);
    CHECK(environment.array->count == 4);
    CHECK(environment.cpus_per_task == 3);
    CHECK(environment.memory_bytes_per_node == uint64_t{2} << 30);
    CHECK(environment.hosts == std::vector<std::string>{"n1", "n2"});
    CHECK(environment.restart_count == 2);
}

TEST_CASE("environment: an uneven array has no position") {
    const Environment environment = read({{"SLURM_JOB_ID", "17"},
                                          {"SLURM_ARRAY_TASK_ID", "3"},
                                          {"SLURM_ARRAY_TASK_MIN", "0"},
                                          {"SLURM_ARRAY_TASK_MAX", "7"},
                                          {"SLURM_ARRAY_TASK_COUNT", "3"}});
    REQUIRE(environment.array);
    CHECK_THROWS_AS(environment.array->position(), ClusterError);
}

TEST_CASE("environment: memory per CPU") {
    CHECK(read({{"SLURM_JOB_ID", "1"}, {"SLURM_MEM_PER_CPU", "100"}, {"SLURM_CPUS_ON_NODE", "4"}})
              .memory_bytes_per_node == uint64_t{400} << 20);
}

TEST_CASE("environment: a broken value is named") {
    CHECK_THROWS_WITH_AS(read({{"SLURM_JOB_ID", "1"}, {"SLURM_RESTART_COUNT", "two"}}),
                         "environment variable SLURM_RESTART_COUNT: \"two\" is not a number",
                         ClusterError);
    CHECK_THROWS_AS(read({{"SLURM_JOB_ID", "1"}, {"SLURM_JOB_NODELIST", "n[1-"}}), ClusterError);
}

namespace {

TaskShare ranked(const std::string& word, const std::map<std::string, std::string>& variables) {
    return resolve_ranked_share(word, [&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
}

void check_share(const TaskShare& share, uint64_t index, uint64_t count) {
    CHECK(share.index == index);
    CHECK(share.count == count);
}

}  // namespace

TEST_CASE("ranked share: a process alone does all") {
    check_share(ranked("", {}), 0, 1);
    // A batch script of a job of four tasks.
    check_share(ranked("", {{"SLURM_JOB_ID", "1"},
                            {"SLURM_NTASKS", "4"},
                            {"SLURM_PROCID", "0"},
                            {"SLURM_STEP_NUM_TASKS", "1"}}),
                0, 1);
    check_share(ranked("", {{"SLURM_JOB_ID", "1"}, {"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}),
                0, 1);
}

TEST_CASE("ranked share: mpirun, srun, and --task before both") {
    const std::map<std::string, std::string> srun{
        {"SLURM_JOB_ID", "1"}, {"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}};
    check_share(ranked("", srun), 1, 2);
    check_share(ranked("2/3", srun), 2, 3);
    std::map<std::string, std::string> mpirun = srun;
    mpirun["OMPI_COMM_WORLD_RANK"] = "5";
    mpirun["OMPI_COMM_WORLD_SIZE"] = "8";
    check_share(ranked("", mpirun), 5, 8);
    check_share(ranked("", {{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}}), 3, 4);
    CHECK_THROWS_AS(ranked("", {{"PMIX_RANK", "3"}}), UsageError);
}

TEST_CASE("ranked share: the ranks of the tasks of an array take every unit once") {
    std::vector<int> taken(30, 0);
    for (const char* task : {"0", "1", "2"}) {
        for (const char* rank : {"0", "1"}) {
            const TaskShare share = ranked("", {{"SLURM_JOB_ID", "1"},
                                                {"SLURM_ARRAY_TASK_ID", task},
                                                {"SLURM_ARRAY_TASK_MIN", "0"},
                                                {"SLURM_ARRAY_TASK_MAX", "2"},
                                                {"SLURM_ARRAY_TASK_COUNT", "3"},
                                                {"SLURM_PROCID", rank},
                                                {"SLURM_STEP_NUM_TASKS", "2"}});
            for (size_t i = share.index; i < taken.size(); i += share.count) ++taken[i];
        }
    }
    CHECK(taken == std::vector<int>(30, 1));
}
