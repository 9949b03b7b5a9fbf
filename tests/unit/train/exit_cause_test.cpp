// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/exit_cause.h"

#include <doctest/doctest.h>

#include "lib/comm/world.h"

namespace longhaul::train {
namespace {

TEST_CASE("exit_cause: every kind of error has its word") {
    CHECK(cause_of(UsageError("x")) == "configuration");
    CHECK(cause_of(DataError("x")) == "data");
    CHECK(cause_of(IoError("x", ENOSPC)) == "disk");
    CHECK(cause_of(IoError("x", EDQUOT)) == "disk");
    CHECK(cause_of(IoError("x", ENOENT)) == "data");
    CHECK(cause_of(CommError("x")) == "network");
    CHECK(cause_of(comm::TimeoutError("x")) == "hang");
    CHECK(cause_of(GpuError("x")) == "gpu");
    CHECK(cause_of(std::bad_alloc()) == "memory");
    CHECK(cause_of(std::runtime_error("x")) == "code");
    CHECK(cause_of(TrainError("non-finite", "x", ExitCode::kFailed)) == "non-finite");
}

}  // namespace
}  // namespace longhaul::train
