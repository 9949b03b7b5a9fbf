// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/classify.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

#include "lib/base/exit_code.h"
#include "lib/base/format.h"
#include "lib/cluster/hostlist.h"

namespace longhaul::guard {
namespace {

/// States in which Slurm itself says why it ended the job.
std::optional<Cause> cause_of_state(const std::string& state) {
    constexpr std::array<std::pair<const char*, Cause>, 6> kStates{{
        {"CANCELLED", Cause::kCancelled},
        {"TIMEOUT", Cause::kTimeLimit},
        {"DEADLINE", Cause::kTimeLimit},
        {"PREEMPTED", Cause::kPreemption},
        {"NODE_FAIL", Cause::kNode},
        {"OUT_OF_MEMORY", Cause::kMemory},
    }};
    for (const auto& [name, cause] : kStates) {
        if (state == name) return cause;
    }
    return std::nullopt;
}

/// Why a run that saved and ended on request was asked to.
Verdict resolve_notice(const Evidence& evidence) {
    if (!evidence.job) return {Cause::kNotice, {}, {}, "saved on request"};
    const cluster::JobInfo& job = *evidence.job;
    if (job.preempt_unix_s > 0) {
        return {Cause::kPreemption, {}, {}, "Slurm says the job is preempted"};
    }
    const double near_s = std::max(300.0, 2 * evidence.notice_s);
    const bool is_near = job.time_left_s && static_cast<double>(*job.time_left_s) <= near_s;
    if (is_near) {
        return {Cause::kTimeLimit,
                {},
                {},
                format("saved on request, {} s before the time limit", *job.time_left_s)};
    }
    return {Cause::kNotice, {}, {}, "saved on request"};
}

std::optional<Verdict> from_slurm(const Evidence& evidence) {
    if (!evidence.job) return std::nullopt;
    const auto cause = cause_of_state(evidence.job->state);
    if (!cause) return std::nullopt;
    Verdict verdict{*cause, {}, {}, "Slurm's state of the job is " + evidence.job->state};
    if (*cause == Cause::kNode) verdict.hosts = verdict.dead_hosts = evidence.lost_hosts;
    return verdict;
}

/// Surviving ranks report these when another one is gone.
bool is_echo_of_death(Cause cause) {
    return cause == Cause::kNetwork || cause == Cause::kHang;
}

std::optional<Verdict> from_exit_record(const Evidence& evidence) {
    if (!evidence.exit_record) return std::nullopt;
    const ExitRecord& record = *evidence.exit_record;
    if (record.code == to_int(ExitCode::kRequeue)) {
        Verdict verdict = resolve_notice(evidence);
        // Nobody asked, and some rank ended otherwise: the others saved on the launcher's TERM.
        const bool is_echo = verdict.cause == Cause::kNotice && !evidence.was_told &&
                             evidence.exit_code != record.code && evidence.exit_code != 0;
        if (is_echo) return std::nullopt;
        return verdict;
    }
    if (record.code == to_int(ExitCode::kStopped)) {
        return Verdict{Cause::kStopped, {}, {}, "exit.json: " + record.cause};
    }
    const auto cause = parse_cause(record.cause);
    if (!cause) return std::nullopt;
    const bool is_known_death = !evidence.lost_hosts.empty() || evidence.exit_code > 128;
    if (is_echo_of_death(*cause) && is_known_death) return std::nullopt;
    // A rank that finished while the launcher reports a failure: the failure counts.
    if (*cause == Cause::kFinished && evidence.exit_code != 0) return std::nullopt;
    Verdict verdict{*cause, {}, {}, "exit.json: " + record.cause};
    if (!record.detail.empty()) verdict.evidence += ": " + record.detail;
    // Of a broken connection or a hang, the host is the one that noticed.
    const bool is_observer = is_orderly(*cause) || is_echo_of_death(*cause);
    if (!record.host.empty() && !is_observer) verdict.hosts = {record.host};
    return verdict;
}

std::optional<Verdict> from_exit_code(const Evidence& evidence) {
    switch (evidence.exit_code) {
        case to_int(ExitCode::kOk):
            // srun may return 0 although it could not start a single task.
            if (evidence.clue && evidence.clue->is_launch_failure) return std::nullopt;
            return Verdict{Cause::kFinished, {}, {}, "exit code 0"};
        case to_int(ExitCode::kRequeue):
            return resolve_notice(evidence);
        case to_int(ExitCode::kStopped):
            return Verdict{Cause::kStopped, {}, {}, "exit code 93"};
        case to_int(ExitCode::kUsage):
            return Verdict{Cause::kConfiguration, {}, {}, "exit code 2"};
        default:
            return std::nullopt;
    }
}

std::optional<Verdict> from_lost_hosts(const Evidence& evidence) {
    if (evidence.lost_hosts.empty()) return std::nullopt;
    return Verdict{Cause::kNode, evidence.lost_hosts, evidence.lost_hosts,
                   "Slurm lost " + cluster::compress_hostlist(evidence.lost_hosts)};
}

std::optional<Verdict> from_clue(const Evidence& evidence) {
    if (!evidence.clue) return std::nullopt;
    const Clue& clue = *evidence.clue;
    Verdict verdict{clue.cause, {}, {}, clue.line};
    if (!clue.host.empty()) verdict.hosts = {clue.host};
    // "CUDA error" names no host, but the task that died of it does.
    if (verdict.hosts.empty() && is_host_fault(clue.cause) && evidence.failed_hosts.size() == 1) {
        verdict.hosts = evidence.failed_hosts;
    }
    if (clue.is_launch_failure) verdict.dead_hosts = verdict.hosts;
    return verdict;
}

Verdict from_signal(const Evidence& evidence) {
    const int signal = evidence.exit_code - 128;
    if (signal <= 0 || signal > 64) {
        return {Cause::kCode, {}, {}, format("exit code {}", evidence.exit_code)};
    }
    // KILL comes from outside: the kernel, an operator, a dying host. Others are the program's own.
    if (signal == SIGKILL && !evidence.job) {
        return {
            Cause::kMemory,
            evidence.failed_hosts,
            {},
            format("exit code {} (Killed): out of memory, or killed by hand", evidence.exit_code)};
    }
    const Cause cause = signal == SIGKILL ? Cause::kNode : Cause::kCode;
    return {cause,
            evidence.failed_hosts,
            {},
            format("exit code {} ({})", evidence.exit_code, strsignal(signal))};
}

}  // namespace

Verdict classify(const Evidence& evidence) {
    if (auto verdict = from_slurm(evidence)) return *verdict;
    if (evidence.is_hang) {
        Verdict verdict{Cause::kHang, {}, {}, "no progress"};
        if (!evidence.lost_hosts.empty()) verdict = *from_lost_hosts(evidence);
        return verdict;
    }
    if (auto verdict = from_exit_record(evidence)) return *verdict;
    if (auto verdict = from_exit_code(evidence)) return *verdict;
    if (auto verdict = from_lost_hosts(evidence)) return *verdict;
    if (evidence.job && evidence.job->preempt_unix_s > 0) {
        return {Cause::kPreemption, {}, {}, "Slurm says the job is preempted"};
    }
    if (auto verdict = from_clue(evidence)) {
        // Ranks that died of the signal that was to make them save.
        if (verdict->cause != Cause::kCode || !evidence.was_told) return *verdict;
    }
    const int signal = evidence.exit_code - 128;
    const bool is_notice =
        signal == SIGUSR1 || signal == SIGUSR2 || (evidence.was_told && signal > 0);
    if (is_notice) {
        Verdict verdict = resolve_notice(evidence);
        verdict.evidence =
            format("the signal that asked to save ended it (exit code {})", evidence.exit_code);
        return verdict;
    }
    return from_signal(evidence);
}

}  // namespace longhaul::guard
