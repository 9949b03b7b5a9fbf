// SPDX-License-Identifier: BSD-3-Clause
// A build without MPI says so, and what to do (compiled with mpi_env_none.cpp).
#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/comm/mpi_env.h"

namespace longhaul::comm {
namespace {

TEST_CASE("mpi_env_none: names what is missing, and is a matter of configuration") {
    CHECK_FALSE(have_mpi());
    std::string message;
    try {
        const MpiEnv env;
    } catch (const CommError& error) {
        message = error.describe();
        CHECK(error.exit_code() == ExitCode::kUsage);
    }
    CHECK(message.find("-Dmpi=enabled") != std::string::npos);
    CHECK(message.find("libopenmpi-dev") != std::string::npos);
}

}  // namespace
}  // namespace longhaul::comm
