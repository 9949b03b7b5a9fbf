// SPDX-License-Identifier: BSD-3-Clause
// The client against agents that are shell scripts: no Slurm needed.
#include "lib/cluster/agent.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <cstdlib>
#include <filesystem>

#include "lib/base/error.h"
#include "lib/io/file.h"
#include "tests/support/temp_dir.h"

using namespace longhaul;
using namespace longhaul::cluster;

namespace {

/// Puts a script in the agent's place, and an empty PATH so that no scontrol is found.
class FakeAgent {
 public:
    explicit FakeAgent(const std::string& body) : path_(std::getenv("PATH")) {
        const auto script = dir_.path() / "agent";
        io::UniqueFd fd = io::open_file(script, O_CREAT | O_WRONLY, 0755);
        io::write_full(fd.get(), "#!/bin/sh\n" + body, "agent");
        fd.reset();
        setenv("LONGHAUL_SLURM_AGENT", script.c_str(), 1);
        setenv("PATH", dir_.path().c_str(), 1);
    }
    ~FakeAgent() {
        setenv("PATH", path_.c_str(), 1);
        unsetenv("LONGHAUL_SLURM_AGENT");
    }

 private:
    test::TempDir dir_;
    std::string path_;
};

}  // namespace

TEST_CASE("agent: a job's JSON") {
    const FakeAgent agent(R"(echo '{"schema":1,"job_id":"12","state":"RUNNING","flags":["X"],
"reason":"None","partition":"p","nodes":"n[1-2]","batch_host":"n1","excluded_nodes":"",
"restart_count":3,"requeue":true,"end_unix_s":100,"preempt_unix_s":0,"time_limit_s":null,
"time_left_s":55,"comment":"","work_dir":"/"}')");
    const AgentClient client;
    CHECK(client.how() == "slurm-agent");
    const JobInfo job = client.job("12");
    CHECK(job.is_running());
    CHECK(job.nodes == "n[1-2]");
    CHECK(job.restart_count == 3);
    CHECK_FALSE(job.time_limit_s);
    CHECK(job.time_left_s == 55);
    CHECK(job.has_flag("X"));
}

TEST_CASE("agent: a refusal is an error with Slurm's words") {
    const FakeAgent agent(
        R"(echo '{"schema":1,"error":"no such job","slurm_errno":2017}'; exit 1)");
    try {
        AgentClient().requeue("12");
        FAIL("accepted");
    } catch (const ClusterError& error) {
        CHECK(error.describe() == "no such job");
        CHECK(error.exit_code() == ExitCode::kNegative);
    }
}

TEST_CASE("agent: a missing member is named") {
    const FakeAgent agent(R"(echo '{"schema":1,"job_id":"12"}')");
    CHECK_THROWS_AS(AgentClient().job("12"), DataError);
}

TEST_CASE("agent: broken and missing agents are errors, not guesses") {
    {
        const FakeAgent agent("exit 127");
        CHECK_THROWS_AS(AgentClient().job("12"), ClusterError);
    }
    const FakeAgent agent("exit 0");
    setenv("LONGHAUL_SLURM_AGENT", "none", 1);
    const AgentClient client;
    CHECK_FALSE(client.is_available());
    CHECK(client.how() == "");
    CHECK_THROWS_AS(client.nodes(""), ClusterError);
}
