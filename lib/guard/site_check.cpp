// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/site_check.h"

#include <cstdlib>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/cluster/agent.h"
#include "lib/cluster/number_list.h"
#include "lib/log/log.h"

namespace longhaul::guard {
namespace {

using record::Finding;
using record::Status;

constexpr int64_t kDefaultCredExpire_s = 120;
constexpr int64_t kShortKillWait_s = 30;
constexpr int64_t kLongSlurmdTimeout_s = 120;

/// The number after "name=" in a comma separated list of settings.
std::optional<int64_t> setting(const std::string& list, const std::string& name) {
    const size_t at = ("," + list).find("," + name + "=");
    if (at == std::string::npos) return std::nullopt;
    return std::strtoll(list.c_str() + at + name.size() + 1, nullptr, 10);
}

bool has_word(const std::string& list, const std::string& word) {
    return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

Finding check_requeue(const SiteFacts& facts) {
    const bool allowed = facts.job ? facts.job->requeue : facts.site.text("JobRequeue") == "1";
    const std::string subject = facts.job ? "job " + facts.job->job_id : "JobRequeue";
    if (allowed) return {Status::kOk, "slurm.requeue", subject, "jobs may be requeued", ""};
    return {facts.job ? Status::kFail : Status::kWarn, "slurm.requeue", subject,
            facts.job ? "the job may not be requeued" : "jobs are not requeued by default",
            "submit with --requeue, else no loss of a host and no preemption is survived"};
}

Finding check_requeue_delay(const SiteFacts& facts) {
    const int64_t delay_s =
        setting(facts.site.text("SchedulerParameters"), "requeue_delay")
            .value_or(
                setting(facts.site.text("AuthInfo"), "cred_expire").value_or(kDefaultCredExpire_s) +
                1);
    const std::string evidence = format("a requeued job waits at least {} s", delay_s);
    if (delay_s < 60) return {Status::kOk, "slurm.requeue_delay", "AuthInfo", evidence, ""};
    return {Status::kNote, "slurm.requeue_delay", "AuthInfo", evidence,
            "take spare hosts into the allocation (-N more --no-kill): a restart there takes "
            "seconds; administrators: AuthInfo=cred_expire, from 25.11 requeue_delay"};
}

/// RequeueExit and RequeueExitHold must not work against the exit codes of Longhaul.
std::vector<Finding> check_requeue_exit(const SiteFacts& facts) {
    std::vector<Finding> findings;
    const std::string requeue = facts.site.text("RequeueExit");
    const std::string hold = facts.site.text("RequeueExitHold");
    if (cluster::number_list_contains(requeue, to_int(ExitCode::kStopped))) {
        findings.push_back({Status::kFail, "slurm.requeue_exit", "RequeueExit",
                            requeue + " holds 93: a stopped run would start for ever",
                            "take 93 out of RequeueExit, or submit with --no-requeue"});
    }
    if (cluster::number_list_contains(hold, to_int(ExitCode::kRequeue))) {
        findings.push_back({Status::kFail, "slurm.requeue_exit_hold", "RequeueExitHold",
                            hold + " holds 75: a saved run would be held",
                            "take 75 out of RequeueExitHold"});
    }
    if (findings.empty()) {
        findings.push_back({Status::kOk, "slurm.requeue_exit", "RequeueExit",
                            "does not work against exit codes 75 and 93", ""});
    }
    return findings;
}

Finding check_kill_wait(const SiteFacts& facts) {
    const auto wait_s = facts.site.number("KillWait");
    const std::string evidence = format("{} s between TERM and KILL", wait_s.value_or(30));
    if (!wait_s || *wait_s >= kShortKillWait_s) {
        return {Status::kOk, "slurm.kill_wait", "KillWait", evidence, ""};
    }
    return {Status::kWarn, "slurm.kill_wait", "KillWait", evidence,
            "a checkpoint must be written in that time when the notice comes late: keep "
            "[notice] before_end_s, or submit with --signal=B:USR1@120"};
}

/// The loss of a host is noticed by Slurm after about SlurmdTimeout; ranks hang until then.
Finding check_node_loss(const SiteFacts& facts) {
    const int64_t timeout_s = facts.site.number("SlurmdTimeout").value_or(300);
    const std::string evidence = format("a dead host is noticed after about {} s", timeout_s);
    if (timeout_s == 0) {
        return {Status::kFail, "slurm.node_loss", "SlurmdTimeout", "dead hosts are never noticed",
                "set [hang] timeout_s in the policy file; administrators: SlurmdTimeout=60"};
    }
    if (timeout_s <= kLongSlurmdTimeout_s) {
        return {Status::kOk, "slurm.node_loss", "SlurmdTimeout", evidence, ""};
    }
    return {Status::kNote, "slurm.node_loss", "SlurmdTimeout", evidence,
            "set [hang] timeout_s below that in the policy file"};
}

std::string preempt_mode(const SiteFacts& facts, const cluster::PartitionInfo& partition) {
    return partition.preempt_mode == "CLUSTER" ? facts.site.text("PreemptMode")
                                               : partition.preempt_mode;
}

/// @param partition of the job, or every one of the site.
Finding check_preemption(const SiteFacts& facts, const cluster::PartitionInfo& partition) {
    const std::string subject = "partition " + partition.name;
    const std::string mode = preempt_mode(facts, partition);
    const char* code = "slurm.preemption";
    if (facts.site.text("PreemptType") == "preempt/none" || mode == "OFF") {
        return {Status::kOk, code, subject, "jobs are not preempted", ""};
    }
    if (mode.find("CANCEL") != std::string::npos) {
        return {Status::kFail, code, subject, "preempted jobs are cancelled, not requeued",
                "use another partition or QOS; administrators: PreemptMode=REQUEUE"};
    }
    if (mode.find("SUSPEND") != std::string::npos) {
        return {Status::kWarn, code, subject, "preempted jobs are suspended with their memory",
                "raise [hang] timeout_s above the longest suspension"};
    }
    if (partition.grace_time_s == 0) {
        return {Status::kWarn, code, subject,
                format("no grace time: {} s from notice to KILL",
                       facts.site.number("KillWait").value_or(30)),
                "checkpoint often; administrators: GraceTime=120"};
    }
    return {Status::kOk, code, subject,
            format("preempted jobs are requeued after {} s", partition.grace_time_s), ""};
}

std::vector<Finding> check_partitions(const SiteFacts& facts) {
    std::vector<Finding> findings;
    for (const cluster::PartitionInfo& partition : facts.site.partitions) {
        if (facts.job && facts.job->partition != partition.name) continue;
        findings.push_back(check_preemption(facts, partition));
    }
    return findings;
}

Finding check_prolog(const SiteFacts& facts) {
    const bool has_prolog = !facts.site.text("Prolog").empty();
    const bool is_held =
        has_prolog && !has_word(facts.site.text("SchedulerParameters"), "nohold_on_prolog_fail");
    if (!is_held)
        return {Status::kOk, "slurm.prolog", "Prolog", "a failing prolog holds no job", ""};
    return {Status::kWarn, "slurm.prolog", "Prolog",
            "a job whose prolog fails is requeued and held until someone releases it",
            "administrators: SchedulerParameters=nohold_on_prolog_fail"};
}

Finding check_log(const SiteFacts& facts) {
    if (facts.site.text("JobFileAppend") == "1") {
        return {Status::kOk, "slurm.log", "JobFileAppend", "a requeued job goes on in its log", ""};
    }
    return {Status::kNote, "slurm.log", "JobFileAppend",
            "a requeued job begins its log anew: the reason of the restart is lost there",
            "submit with --open-mode=append"};
}

Finding check_mpi(const SiteFacts& facts) {
    const std::string plugin = facts.site.text("MpiDefault");
    if (!plugin.empty() && plugin != "none") {
        return {Status::kOk, "slurm.mpi", "MpiDefault", "srun starts MPI ranks by " + plugin, ""};
    }
    return {Status::kNote, "slurm.mpi", "MpiDefault", "srun starts ranks without MPI by default",
            "use srun --mpi=pmix (see srun --mpi=list)"};
}

std::vector<Finding> check_time_limit(const SiteFacts& facts) {
    if (!facts.job || !facts.job->time_limit_s) return {};
    const int64_t limit_s = *facts.job->time_limit_s;
    const std::string subject = "job " + facts.job->job_id;
    const std::string evidence = "time limit " + human_duration(static_cast<double>(limit_s));
    if (limit_s >= 600) return {{Status::kOk, "slurm.time_limit", subject, evidence, ""}};
    return {{Status::kNote, "slurm.time_limit", subject, evidence,
             "most of so short a job is start-up and saving"}};
}

}  // namespace

std::vector<Finding> check_site(const SiteFacts& facts) {
    std::vector<Finding> findings{check_requeue(facts),   check_requeue_delay(facts),
                                  check_kill_wait(facts), check_node_loss(facts),
                                  check_prolog(facts),    check_log(facts),
                                  check_mpi(facts)};
    for (const auto& more :
         {check_requeue_exit(facts), check_partitions(facts), check_time_limit(facts)}) {
        findings.insert(findings.end(), more.begin(), more.end());
    }
    return findings;
}

std::vector<Finding> check(const std::string& job_id, const std::filesystem::path& run) {
    std::vector<Finding> findings;
    if (!run.empty()) findings = check_run_directory(run);
    const cluster::AgentClient agent;
    try {
        SiteFacts facts;
        facts.site = agent.conf();
        if (!job_id.empty()) facts.job = agent.job(job_id);
        const std::vector<Finding> site = check_site(facts);
        findings.push_back({Status::kOk, "slurm.agent", agent.how(), "Slurm answers", ""});
        findings.insert(findings.end(), site.begin(), site.end());
    } catch (const ClusterError& error) {
        findings.push_back({Status::kUnknown, "slurm.agent", "Slurm", error.describe(),
                            "install slurm-agent or scontrol on the compute nodes; without both, "
                            "job-guard can only exit 75 and hope for RequeueExit"});
    }
    return findings;
}

}  // namespace longhaul::guard
