// SPDX-License-Identifier: BSD-3-Clause
#include "lib/health/policy.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "lib/base/error.h"
#include "lib/health/ingest.h"
#include "lib/io/json.h"

using namespace longhaul;
using namespace longhaul::health;
using record::Finding;
using record::Status;

TEST_CASE("policy: GPUs in Slurm's words") {
    CHECK(gpus_in_gres("gpu:8") == 8);
    CHECK(gpus_in_gres("gpu:h100:8") == 8);
    CHECK(gpus_in_gres("gpu:h100:4(S:0-1),gpu:a100:2(IDX:0,3)") == 6);
    CHECK(gpus_in_gres("gres/gpu:8") == 8);
    CHECK(gpus_in_gres("gres/gpu:h100=4,tmp:1") == 4);
    CHECK(gpus_in_gres("gpu") == 1);
    CHECK(gpus_in_gres("gpu:h100") == 1);
    CHECK(gpus_in_gres("tmp:100G") == -1);
    CHECK(gpus_in_gres("") == -1);
    CHECK_THROWS_AS(gpus_in_gres("gpu:h100:many"), UsageError);
}

TEST_CASE("policy: expectation from Slurm's variables") {
    Policy policy;
    unsetenv("SLURM_GPUS_ON_NODE");
    setenv("SLURM_JOB_GPUS", "0,5", 1);
    expect_from_environment(policy, Context::kJob);
    CHECK(policy.gpus == -1);  // indices inside a job's cgroup say nothing
    expect_from_environment(policy, Context::kProlog);
    CHECK(policy.gpus == 6);
    policy = {};
    setenv("SLURM_GPUS_ON_NODE", "4", 1);
    expect_from_environment(policy, Context::kJob);
    CHECK(policy.gpus == 4);
    policy = {};
    policy.gpus = 2;
    expect_from_environment(policy, Context::kJob);
    CHECK(policy.gpus == 2);  // the configuration wins
    unsetenv("SLURM_GPUS_ON_NODE");
    unsetenv("SLURM_JOB_GPUS");
}

TEST_CASE("policy: the site decides statuses, but unknown never becomes less") {
    Policy policy;
    policy.note = {"xid.*", "gpu.unread"};
    policy.fail = {"xid.13", "gpu.hung"};
    std::vector<Finding> findings = {{Status::kFail, "xid.79", "", "", ""},
                                     {Status::kNote, "xid.13", "", "", ""},
                                     {Status::kUnknown, "gpu.unread", "", "", ""},
                                     {Status::kUnknown, "gpu.hung", "", "", ""},
                                     {Status::kOk, "xid.13", "", "", ""}};
    apply_status(policy, findings);
    CHECK(findings[0].status == Status::kNote);
    CHECK(findings[1].status == Status::kFail);
    CHECK(findings[2].status == Status::kUnknown);
    CHECK(findings[3].status == Status::kFail);
    CHECK(findings[4].status == Status::kOk);
}

TEST_CASE("policy: configuration file, with the nearest key for a misspelt one") {
    Policy policy;
    config::Schema schema;
    declare(schema, policy);
    schema.load_text(
        "[expect]\ngpus = 8\n[limits]\ndisks = [\"/scratch\"]\n[status]\nnote = [\"xid.13\"]\n",
        "f");
    CHECK(policy.gpus == 8);
    CHECK(policy.disks == std::vector<std::string>{"/scratch"});
    CHECK_THROWS_WITH_AS(schema.load_text("[expect]\ngpu = 8\n", "f"), doctest::Contains("gpus"),
                         UsageError);
}

TEST_CASE("ingest: what concerns this host, and how") {
    const std::vector<Finding> findings = {
        {Status::kFail, "pairs.member.slow", "host n3", "", ""},
        {Status::kFail, "pairs.link.slow", "link n3-n5", "", ""},
        {Status::kFail, "pairs.link.slow", "link a-b-n-3", "", ""},
        {Status::kFail, "pairs.member.slow", "rank 4@n5", "", ""},
        {Status::kFail, "counters.link_downed", "host n3 port m/1", "", ""},
        {Status::kOk, "pairs.even", "8 hosts", "", ""}};
    const auto about = [&](const char* host) {
        std::string text;
        for (const Finding& f : findings_about(findings, host)) {
            text += std::string(record::status_name(f.status)) + " " + f.subject + "; ";
        }
        return text;
    };
    CHECK(about("n3") == "fail host n3; warn link n3-n5; fail host n3 port m/1; ");
    CHECK(about("n5") == "warn link n3-n5; fail rank 4@n5; ");
    CHECK(about("a-b") == "warn link a-b-n-3; ");
    CHECK(about("n") == "ok host n; ");
    CHECK_THROWS_AS(findings_from_json(io::parse_json("{}", "x"), "x"), DataError);
    CHECK_THROWS_AS(
        findings_from_json(io::parse_json("{\"findings\":[{\"status\":\"bad\"}]}", "x"), "x"),
        DataError);
}
