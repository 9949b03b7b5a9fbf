// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/policy.h"

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/guard/launcher_args.h"
#include "lib/io/atomic_file.h"
#include "tests/support/temp_dir.h"

using namespace longhaul;
using namespace longhaul::guard;

TEST_CASE("policy: what is printed loads to the same") {
    const test::TempDir dir;
    Policy policy;
    policy.delay_s = 7;
    policy.reactions[Cause::kGpu] = "requeue";
    io::write_file_atomically(dir / "policy.toml", policy_schema(policy).print());
    const Policy again = load_policy(dir / "policy.toml");
    CHECK(again.delay_s == 7);
    CHECK(again.reaction(Cause::kGpu) == Reaction::kRequeue);
    CHECK(again.max_without_progress == 3);
    CHECK(load_policy("").timeout_s == 900);
}

TEST_CASE("policy: mistakes are named") {
    const test::TempDir dir;
    const std::pair<const char*, const char*> rows[] = {
        {"[restart]\ndelay = 3\n", "delay_s"},
        {"[causes]\nnode = \"retry\"\n", "restart"},
        {"[restart]\nmax_without_progress = -1\n", "restart.max_without_progress"},
    };
    for (const auto& [text, word] : rows) {
        CAPTURE(text);
        io::write_file_atomically(dir / "policy.toml", text);
        try {
            load_policy(dir / "policy.toml");
            FAIL("accepted");
        } catch (const UsageError& error) {
            CHECK(error.describe().find(word) != std::string::npos);
        }
    }
}

TEST_CASE("launcher arguments: srun gets kill-on-bad-exit and exclude, others nothing") {
    CHECK(adapt_command({"srun", "-N2", "train"}, "") ==
          Argv{"srun", "--kill-on-bad-exit=1", "-N2", "train"});
    CHECK(adapt_command({"/opt/slurm/bin/srun", "-K", "train"}, "n[1,3]") ==
          Argv{"/opt/slurm/bin/srun", "--exclude=n[1,3]", "-K", "train"});
    CHECK(adapt_command({"srun", "--kill-on-bad-exit=0", "train"}, "") ==
          Argv{"srun", "--kill-on-bad-exit=0", "train"});
    CHECK(adapt_command({"srun", "train", "-K"}, "") ==
          Argv{"srun", "--kill-on-bad-exit=1", "train", "-K"});
    CHECK(adapt_command({"mpirun", "train"}, "n1") == Argv{"mpirun", "train"});
}

TEST_CASE("launcher arguments: the hosts that srun asks for") {
    CHECK(requested_nodes({"srun", "-N", "4", "train"}) == 4);
    CHECK(requested_nodes({"srun", "-N4", "train"}) == 4);
    CHECK(requested_nodes({"srun", "-n", "8", "--nodes=2-4", "train"}) == 2);
    CHECK_FALSE(requested_nodes({"srun", "train", "-N", "4"}));
    CHECK_FALSE(requested_nodes({"srun", "-n", "4", "train"}));
    CHECK_FALSE(requested_nodes({"mpirun", "-N", "4", "train"}));
    CHECK_FALSE(requested_nodes({"srun", "-N"}));
}

TEST_CASE("launcher arguments: the run directory that train-run is given") {
    CHECK(named_run({"srun", "--run", "x", "/opt/bin/train-run", "a.toml", "--run", "r"}) == "r");
    CHECK(named_run({"train-run", "--run=r", "a.toml"}) == "r");
    CHECK_FALSE(named_run({"train-run", "a.toml"}));
    CHECK_FALSE(named_run({"python3", "train.py", "--run", "r"}));
    CHECK_FALSE(named_run({"train-run", "--run"}));
}
