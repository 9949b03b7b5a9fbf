// SPDX-License-Identifier: BSD-3-Clause
#include "lib/record/finding.h"

#include <doctest/doctest.h>

using namespace longhaul;
using record::Finding;
using record::Status;

TEST_CASE("findings: exit codes") {
    const Finding ok{Status::kOk}, warn{Status::kWarn}, fail{Status::kFail},
        unknown{Status::kUnknown};
    CHECK(record::exit_code({ok}) == ExitCode::kOk);
    CHECK(record::exit_code({ok, warn}) == ExitCode::kOk);
    CHECK(record::exit_code({ok, warn}, true) == ExitCode::kNegative);
    CHECK(record::exit_code({unknown, warn}) == ExitCode::kFailed);
    CHECK(record::exit_code({unknown, fail}) == ExitCode::kNegative);
    CHECK(record::exit_code_slurm({unknown, warn}) == ExitCode::kOk);
    CHECK(record::exit_code_slurm({fail}) == ExitCode::kNegative);
}

TEST_CASE("findings: text is worst first and the drain reason is one short line") {
    const std::vector<Finding> list = {{Status::kOk, "a.ok", "x", "fine", ""},
                                       {Status::kFail, "b.bad", "GPU 0", "3\nerrors", "reset"}};
    CHECK(record::to_text(list) ==
          "fail    b.bad  GPU 0: 3 errors -> reset\nok      a.ok  x: fine\n");
    CHECK(record::drain_reason(list, "gpu-health") == "gpu-health: b.bad GPU 0: 3 errors");
    CHECK(record::drain_reason({}, "gpu-health").empty());
    const std::vector<Finding> many(20, {Status::kFail, "code", "subject", "evidence", ""});
    CHECK(record::drain_reason(many, "t").size() <= 250);
    std::vector<Finding> late = many;
    late.push_back({Status::kWarn, "xid.13", "GPU 1", "", ""});
    late.push_back({Status::kFail, "xid.79", "GPU 3", "fell off the bus", ""});
    late.push_back({Status::kFail, "node.port.down", "port mlx5_0/1", "went down", ""});
    const std::string reason = record::drain_reason(late, "t");
    CHECK(reason.find("t: xid.79 GPU 3: fell off the bus; node.port.down ") == 0);
    CHECK(reason.size() <= 250);
}
