// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/decide.h"

#include "lib/base/format.h"

namespace longhaul::guard {
namespace {

/// States from which the owner of a job can put it back into the queue.
bool can_be_requeued(const cluster::JobInfo& job, Cause cause) {
    // After the time limit the state is TIMEOUT already; the batch script is still alive then.
    return job.is_running() || (cause == Cause::kTimeLimit && job.state != "PENDING");
}

/// Why the command can not be started again here; "" when it can.
std::string obstacle_to_restart(const Situation& situation, const Policy& policy) {
    if (!policy.in_place) return "policy";
    if (situation.num_hosts_left < situation.num_hosts_needed) {
        return format("{} hosts are left of {} needed", situation.num_hosts_left,
                      situation.num_hosts_needed);
    }
    if (situation.has_bad_hosts && !situation.can_avoid_hosts) {
        return "the launcher can not leave out hosts";
    }
    return "";
}

Decision requeue_within_limit(const Situation& situation, const Policy& policy,
                              const std::string& reason) {
    if (situation.num_requeues >= static_cast<uint64_t>(policy.max_requeues)) {
        return {Action::kHold, format("{} requeues are the limit", policy.max_requeues)};
    }
    return {Action::kRequeue, reason};
}

}  // namespace

const char* action_name(Action action) {
    switch (action) {
        case Action::kDone:
            return "done";
        case Action::kRestart:
            return "restart";
        case Action::kRequeue:
            return "requeue";
        case Action::kHold:
            return "hold";
        case Action::kStop:
            return "stop";
        case Action::kLeave:
            return "leave";
    }
    return "";
}

Decision decide(const Verdict& verdict, const Situation& situation, const Policy& policy) {
    if (verdict.cause == Cause::kFinished) return {Action::kDone, ""};
    if (verdict.cause == Cause::kCancelled) return {Action::kStop, "a cancelled job stays ended"};
    if (situation.job && !can_be_requeued(*situation.job, verdict.cause)) {
        return {Action::kLeave, "Slurm is ending the job: state " + situation.job->state};
    }
    const Reaction reaction = policy.reaction(verdict.cause);
    if (reaction == Reaction::kStop) return {Action::kStop, ""};
    if (reaction == Reaction::kHold) return {Action::kHold, "policy for this cause"};
    if (situation.restarts_without_progress >= static_cast<uint64_t>(policy.max_without_progress) &&
        verdict.cause != Cause::kPreemption) {
        return {Action::kHold, format("{} restarts without a newly committed step",
                                      situation.restarts_without_progress)};
    }
    if (reaction == Reaction::kRequeue) return requeue_within_limit(situation, policy, "");
    const std::string obstacle = obstacle_to_restart(situation, policy);
    if (obstacle.empty()) return {Action::kRestart, ""};
    return requeue_within_limit(situation, policy, obstacle);
}

}  // namespace longhaul::guard
