// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/policy.h"

#include "lib/base/error.h"

namespace longhaul::guard {
namespace {

void add_restart_keys(config::Schema& schema, Policy& policy) {
    schema.section("restart", "Starting the command again in the same allocation.");
    schema.add("restart", "in_place", policy.in_place,
               "restart in the allocation when enough hosts are left");
    schema.add("restart", "max_without_progress", policy.max_without_progress,
               "restarts without a newly committed step before the job is held");
    schema.add("restart", "delay_s", policy.delay_s,
               "pause before a restart; doubles up to 60 s while there is no progress");
    schema.add("restart", "min_nodes", policy.min_nodes,
               "hosts that the command needs; 0: srun's -N, else the whole allocation");
    schema.section("requeue", "Putting the job back into Slurm's queue.");
    schema.add("requeue", "max", policy.max_requeues, "requeues before the job is held");
    schema.add("requeue", "exclude_hosts", policy.exclude_hosts,
               "keep away from hosts that failed twice");
    schema.add("requeue", "max_excluded", policy.max_excluded,
               "exclude at most so many hosts, so that the job can still start");
}

void add_watch_keys(config::Schema& schema, Policy& policy) {
    schema.section("hang", "Ending a run that makes no progress (needs --run or --progress-file).");
    schema.add("hang", "start_timeout_s", policy.start_timeout_s,
               "until the first progress after a start; 0: for ever");
    schema.add("hang", "timeout_s", policy.timeout_s, "between two progresses; 0: for ever");
    schema.add("hang", "kill_grace_s", policy.kill_grace_s, "between TERM and KILL");
    schema.section("notice", "Asking the command to save before the time limit.");
    schema.add("notice", "before_end_s", policy.notice_s, "so long before the limit; 0: never");
    schema.add("notice", "signal", policy.notice_signal, {"USR1", "USR2", "TERM"},
               "the signal that asks");
    schema.section("preflight", "A check on every host before each start.");
    schema.add("preflight", "command", policy.preflight,
               "run once on each host by srun; a host where it fails is left out");
    schema.add("preflight", "timeout_s", policy.preflight_timeout_s, "for all hosts together");
}

Reaction parse_reaction(const std::string& text) {
    if (text == "restart") return Reaction::kRestart;
    if (text == "requeue") return Reaction::kRequeue;
    if (text == "hold") return Reaction::kHold;
    return Reaction::kStop;
}

void check_range(double value, double low, const char* key) {
    // Also refuses nan.
    if (!(value >= low))
        throw UsageError(format("{}: {} is too small (at least {})", key, value, low));
}

}  // namespace

std::map<Cause, std::string> Policy::default_reactions() {
    return {{Cause::kNode, "restart"}, {Cause::kGpu, "restart"},    {Cause::kNetwork, "restart"},
            {Cause::kHang, "restart"}, {Cause::kMemory, "restart"}, {Cause::kDisk, "hold"},
            {Cause::kData, "stop"},    {Cause::kNonFinite, "stop"}, {Cause::kConfiguration, "stop"},
            {Cause::kCode, "restart"}};
}

Reaction Policy::reaction(Cause cause) const {
    const auto found = reactions.find(cause);
    if (found != reactions.end()) return parse_reaction(found->second);
    const bool ends =
        cause == Cause::kFinished || cause == Cause::kStopped || cause == Cause::kCancelled;
    return ends ? Reaction::kStop : Reaction::kRequeue;
}

config::Schema policy_schema(Policy& policy) {
    config::Schema schema;
    add_restart_keys(schema, policy);
    add_watch_keys(schema, policy);
    schema.section("causes", "restart, requeue, hold or stop, for each cause (longhaul-faults.7).");
    for (auto& [cause, reaction] : policy.reactions) {
        schema.add("causes", cause_name(cause), reaction, {"restart", "requeue", "hold", "stop"},
                   cause_meaning(cause));
    }
    return schema;
}

Policy load_policy(const std::filesystem::path& path) {
    Policy policy;
    config::Schema schema = policy_schema(policy);
    try {
        if (!path.empty()) schema.load(path);
    } catch (const IoError& error) {
        throw UsageError(format("--policy: {}", error.what()));
    }
    check_range(static_cast<double>(policy.max_without_progress), 0,
                "restart.max_without_progress");
    check_range(static_cast<double>(policy.max_requeues), 0, "requeue.max");
    check_range(policy.kill_grace_s, 0, "hang.kill_grace_s");
    check_range(policy.delay_s, 0, "restart.delay_s");
    check_range(static_cast<double>(policy.min_nodes), 0, "restart.min_nodes");
    check_range(static_cast<double>(policy.max_excluded), 0, "requeue.max_excluded");
    check_range(policy.start_timeout_s, 0, "hang.start_timeout_s");
    check_range(policy.timeout_s, 0, "hang.timeout_s");
    check_range(policy.notice_s, 0, "notice.before_end_s");
    check_range(policy.preflight_timeout_s, 0, "preflight.timeout_s");
    return policy;
}

}  // namespace longhaul::guard
