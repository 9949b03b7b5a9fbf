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
