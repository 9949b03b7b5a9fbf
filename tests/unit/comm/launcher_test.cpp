// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cstdlib>

#include "lib/base/error.h"
#include "lib/comm/world.h"

namespace longhaul::comm {
namespace {

constexpr const char* kVariables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK",
                                      "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"};

/// Clears the launcher's variables and gives them back.
struct Environment {
    std::vector<std::pair<const char*, std::string>> saved;
    Environment() {
        for (const char* name : kVariables) {
            if (const char* value = std::getenv(name)) saved.emplace_back(name, value);
            unsetenv(name);
        }
    }
    ~Environment() {
        for (const char* name : kVariables) unsetenv(name);
        for (const auto& [name, value] : saved) setenv(name, value.c_str(), 1);
    }
};

TEST_CASE("launcher: none, mpirun, srun with and without PMI") {
    const Environment environment;
    CHECK(detect_launcher().launcher == Launcher::kNone);
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    CHECK(detect_launcher().launcher == Launcher::kMpi);
    CHECK(detect_launcher().world_size == 4);
    unsetenv("OMPI_COMM_WORLD_SIZE");
    // A batch script is a step of one task.
    setenv("SLURM_PROCID", "0", 1);
    setenv("SLURM_STEP_NUM_TASKS", "1", 1);
    CHECK(detect_launcher().launcher == Launcher::kNone);
    setenv("SLURM_STEP_NUM_TASKS", "2", 1);
    CHECK_THROWS_AS(detect_launcher(), UsageError);
    setenv("PMIX_RANK", "1", 1);
    CHECK(detect_launcher().launcher == Launcher::kMpi);
}

}  // namespace
}  // namespace longhaul::comm
