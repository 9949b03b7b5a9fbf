// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/decide.h"

#include <doctest/doctest.h>

using namespace longhaul;
using namespace longhaul::guard;

namespace {

Situation four_hosts() {
    Situation situation;
    situation.job.emplace();
    situation.job->state = "RUNNING";
    situation.num_hosts_left = 4;
    situation.num_hosts_needed = 4;
    situation.can_avoid_hosts = true;
    return situation;
}

std::string action(Cause cause, const Situation& situation, const Policy& policy = {}) {
    return action_name(decide({cause, {}, {}, ""}, situation, policy).action);
}

}  // namespace

TEST_CASE("decide: the default for each cause") {
    const Situation situation = four_hosts();
    CHECK(action(Cause::kFinished, situation) == "done");
    CHECK(action(Cause::kStopped, situation) == "stop");
    CHECK(action(Cause::kCancelled, situation) == "stop");
    for (const Cause cause : {Cause::kNotice, Cause::kTimeLimit, Cause::kPreemption}) {
        CHECK(action(cause, situation) == "requeue");
    }
    for (const Cause cause :
         {Cause::kNode, Cause::kGpu, Cause::kNetwork, Cause::kHang, Cause::kMemory, Cause::kCode}) {
        CHECK(action(cause, situation) == "restart");
    }
    CHECK(action(Cause::kDisk, situation) == "hold");
    for (const Cause cause : {Cause::kData, Cause::kNonFinite, Cause::kConfiguration}) {
        CHECK(action(cause, situation) == "stop");
    }
}

TEST_CASE("decide: requeue where a restart is not possible") {
    Situation situation = four_hosts();
    situation.num_hosts_left = 3;
    CHECK(action(Cause::kNode, situation) == "requeue");
    situation = four_hosts();
    situation.can_avoid_hosts = false;
    CHECK(action(Cause::kNode, situation) == "restart");
    situation.has_bad_hosts = true;
    CHECK(action(Cause::kNode, situation) == "requeue");
    Policy policy;
    policy.in_place = false;
    CHECK(action(Cause::kNode, four_hosts(), policy) == "requeue");
}

TEST_CASE("decide: three restarts without progress hold the job") {
    Situation situation = four_hosts();
    situation.restarts_without_progress = 2;
    CHECK(action(Cause::kCode, situation) == "restart");
    situation.restarts_without_progress = 3;
    CHECK(action(Cause::kCode, situation) == "hold");
    CHECK(action(Cause::kTimeLimit, situation) == "hold");      // the limit is too short for a step
    CHECK(action(Cause::kPreemption, situation) == "requeue");  // not the run's fault
}

TEST_CASE("decide: limit of requeues") {
    Situation situation = four_hosts();
    situation.num_requeues = 100;
    CHECK(action(Cause::kTimeLimit, situation) == "hold");
    CHECK(action(Cause::kNode, situation) == "restart");
}

TEST_CASE("decide: hands off a job that Slurm is ending") {
    Situation situation = four_hosts();
    situation.job->state = "PENDING";
    CHECK(action(Cause::kNotice, situation) == "leave");
    situation.job->state = "COMPLETING";
    CHECK(action(Cause::kNode, situation) == "leave");
    situation.job->state = "TIMEOUT";
    CHECK(action(Cause::kTimeLimit, situation) == "requeue");
}

TEST_CASE("decide: policies change reactions") {
    Policy policy;
    policy.reactions[Cause::kNonFinite] = "restart";
    policy.reactions[Cause::kNode] = "hold";
    CHECK(action(Cause::kNonFinite, four_hosts(), policy) == "restart");
    CHECK(action(Cause::kNode, four_hosts(), policy) == "hold");
}
