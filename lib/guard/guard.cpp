// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/guard.h"

#include <csignal>
#include <ctime>

#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "lib/cluster/hostlist.h"
#include "lib/guard/decide.h"
#include "lib/guard/history.h"
#include "lib/guard/job.h"
#include "lib/guard/job_index.h"
#include "lib/guard/launcher.h"
#include "lib/guard/launcher_args.h"
#include "lib/guard/run_watch.h"
#include "lib/guard/time_limit.h"
#include "lib/log/log.h"

namespace longhaul::guard {
namespace {

using Hosts = std::vector<std::string>;

constexpr double kWaitForEnd_s = 120;  // after a requeue, for Slurm to end this script
constexpr double kMaxDelay_s = 60;
constexpr int kStrikesToExclude = 2;

int signal_number(const std::string& name) {
    if (name == "TERM") return SIGTERM;
    return name == "USR2" ? SIGUSR2 : SIGUSR1;
}

class Guard {
 public:
    explicit Guard(const GuardOptions& options)
        : options_(options),
          policy_(options.policy),
          environment_(cluster::read_environment()),
          job_(environment_),
          history_(options.run),
          notice_(policy_.notice_s) {}

    ExitCode run();

 private:
    enum class Preflight : uint8_t { kPassed, kFailed, kToldToEnd };

    Preflight run_preflight();
    LaunchResult start_command(uint64_t restart);
    TickRequest on_tick(double now_s, ProgressWatch& progress);
    Evidence gather(const LaunchResult& result, uint64_t restart) const;
    Verdict told_before_start() const;
    Situation assess() const;
    void blame(const Verdict& verdict);
    void record_start(uint64_t restart);
    void record_end(const Verdict& verdict, const Decision& decision, const LaunchResult& result,
                    uint64_t restart);
    LaunchResult try_start(uint64_t restart, Verdict& verdict);
    Decision decide_here(const Verdict& verdict) const;
    ExitCode finish(const Decision& decision, const Verdict& verdict, int exit_code);
    ExitCode requeue();
    ExitCode hold(const Decision& decision, const Verdict& verdict);
    ExitCode stop(const Decision& decision, const Verdict& verdict, int exit_code) const;
    /// @return false when a signal ended the pause: the job is to end.
    bool pause_before_restart();

    std::optional<uint64_t> newest_step() const { return newest_committed_step(options_.run); }
    Hosts usable_hosts() const { return cluster::without_hosts(hosts_, avoided_); }
    /// Of the allocation, in compact notation, for srun's --exclude.
    std::string avoided_in_allocation() const {
        return cluster::compress_hostlist(cluster::without_hosts(hosts_, usable_hosts()));
    }
    uint64_t hosts_needed() const;

    const GuardOptions& options_;
    const Policy& policy_;
    cluster::Environment environment_;
    Job job_;
    History history_;
    TimeLimitNotice notice_;
    SignalQueue signals_;
    Hosts hosts_;    // of the allocation and alive
    Hosts avoided_;  // not to be used any more, in the allocation or not
};

uint64_t Guard::hosts_needed() const {
    if (policy_.min_nodes > 0) return static_cast<uint64_t>(policy_.min_nodes);
    return requested_nodes(options_.command).value_or(environment_.hosts.size());
}

/// Leaves out the hosts on which the check fails. Outside of Slurm it runs here.
Guard::Preflight Guard::run_preflight() {
    const Hosts usable = usable_hosts();
    if (policy_.preflight.empty() || (usable.empty() && !hosts_.empty())) return Preflight::kPassed;
    LaunchOptions launch_options;
    launch_options.argv = hosts_.empty() ? policy_.preflight
                                         : preflight_command(policy_.preflight, usable.size(),
                                                             avoided_in_allocation());
    launch_options.kill_grace_s = 5;
    launch_options.kill_remains = [this] { job_.kill_steps(); };
    const double begin_s = steady_now_s();
    launch_options.on_tick = [&](double now_s) {
        return TickRequest{0, now_s - begin_s > policy_.preflight_timeout_s};
    };
    const LaunchResult result = launch(launch_options, signals_);
    if (result.was_told) return Preflight::kToldToEnd;
    if (result.exit_code == 0) return Preflight::kPassed;
    for (const std::string& host : result.failed_hosts) {
        log::warn("preflight failed on {}: left out", host);
        avoided_.push_back(host);
    }
    const bool are_enough = !result.failed_hosts.empty() && usable_hosts().size() >= hosts_needed();
    return are_enough ? Preflight::kPassed : Preflight::kFailed;
}

TickRequest Guard::on_tick(double now_s, ProgressWatch& progress) {
    progress.poll(now_s);
    if (const auto idle_s = progress.stalled_for_s(now_s)) {
        log::warn("no progress for {:.0f} s: the command is ended", *idle_s);
        return {0, true};
    }
    if (notice_.is_due(time(nullptr), [this] { return job_.info(); })) {
        log::info("the time limit is near");
        return {signal_number(policy_.notice_signal), false};
    }
    return {};
}

LaunchResult Guard::start_command(uint64_t restart) {
    std::filesystem::path progress_file = options_.progress_file;
    if (progress_file.empty() && !options_.run.empty()) {
        progress_file = options_.run / "progress.json";
    }
    ProgressWatch progress(progress_file, policy_.start_timeout_s, policy_.timeout_s);
    LaunchOptions launch_options;
    launch_options.argv = adapt_command(options_.command, avoided_in_allocation());
    launch_options.environment = {format("LONGHAUL_RESTART={}", restart)};
    if (!options_.run.empty()) {
        launch_options.environment.push_back("LONGHAUL_RUN=" + options_.run.string());
    }
    launch_options.kill_grace_s = policy_.kill_grace_s;
    launch_options.on_tick = [&](double now_s) { return on_tick(now_s, progress); };
    launch_options.kill_remains = [this] {
        if (is_srun(options_.command)) job_.kill_steps();
    };
    progress.start(steady_now_s());
    return launch(launch_options, signals_);
}

Evidence Guard::gather(const LaunchResult& result, uint64_t restart) const {
    Evidence evidence;
    evidence.exit_code = result.first_task_code.value_or(result.exit_code);
    evidence.is_hang = result.is_hang;
    evidence.was_told = result.was_told;
    evidence.exit_record = read_exit_record(options_.run, restart);
    evidence.job = job_.info();
    evidence.clue = result.clue;
    evidence.failed_hosts = result.failed_hosts;
    evidence.notice_s = policy_.notice_s;
    const bool has_failed = result.exit_code != 0 &&
                            result.exit_code != to_int(ExitCode::kRequeue) &&
                            result.exit_code != to_int(ExitCode::kStopped);
    if (has_failed) evidence.lost_hosts = cluster::without_hosts(hosts_, job_.hosts());
    return evidence;
}

/// A signal came during the preflight: as if the command had saved.
Verdict Guard::told_before_start() const {
    Evidence evidence;
    evidence.exit_code = to_int(ExitCode::kRequeue);
    evidence.was_told = true;
    evidence.job = job_.info();
    evidence.notice_s = policy_.notice_s;
    Verdict verdict = classify(evidence);
    if (is_orderly(verdict.cause)) verdict.evidence = "a signal came during the preflight";
    return verdict;
}

/// Hosts that are dead, or were blamed for the second time, are avoided from now on.
void Guard::blame(const Verdict& verdict) {
    Hosts bad = verdict.dead_hosts;
    if (is_host_fault(verdict.cause)) {
        const auto strikes = history_.strikes();
        for (const std::string& host : verdict.hosts) {
            const auto found = strikes.find(host);
            const int before = found == strikes.end() ? 0 : found->second;
            if (before + 1 >= kStrikesToExclude) bad.push_back(host);
        }
    }
    for (const std::string& host : bad) {
        if (std::find(avoided_.begin(), avoided_.end(), host) == avoided_.end()) {
            avoided_.push_back(host);
        }
    }
}

Situation Guard::assess() const {
    Situation situation;
    situation.job = job_.info();
    situation.num_hosts_left = usable_hosts().size();
    situation.num_hosts_needed = hosts_needed();
    situation.can_avoid_hosts = is_srun(options_.command);
    situation.has_bad_hosts = situation.num_hosts_left < hosts_.size();
    situation.restarts_without_progress = history_.restarts_without_progress(newest_step());
    situation.num_requeues = environment_.restart_count;
    return situation;
}

void Guard::record_start(uint64_t restart) {
    FaultEvent event;
    event.event = "start";
    event.time_unix_s = time(nullptr);
    event.job_id = environment_.job_id;
    event.restart = restart;
    event.nodes = cluster::compress_hostlist(usable_hosts());
    event.step = newest_step();
    history_.append(event);
    log::info("start {}{}{}", restart, event.nodes.empty() ? "" : " on " + event.nodes,
              event.step ? format(" from step {}", *event.step) : "");
}

void Guard::record_end(const Verdict& verdict, const Decision& decision, const LaunchResult& result,
                       uint64_t restart) {
    FaultEvent event;
    event.event = "end";
    event.time_unix_s = time(nullptr);
    event.job_id = environment_.job_id;
    event.restart = restart;
    event.nodes = cluster::compress_hostlist(verdict.hosts);
    event.step = newest_step();
    event.cause = verdict.cause;
    event.evidence = verdict.evidence;
    event.action = action_name(decision.action);
    event.exit_code = result.exit_code;
    event.duration_s = std::round(result.duration_s * 10) / 10;
    history_.append(event);
    log::info("end of start {}: {}{} ({}) -> {}{}", restart, cause_name(verdict.cause),
              event.nodes.empty() ? "" : " on " + event.nodes, verdict.evidence, event.action,
              decision.reason.empty() ? "" : ": " + decision.reason);
}

bool Guard::pause_before_restart() {
    const auto repeats = static_cast<double>(history_.restarts_without_progress(newest_step()));
    const double delay_s = std::min(kMaxDelay_s, policy_.delay_s * std::exp2(repeats));
    return signals_.wait(delay_s) == 0;
}

ExitCode Guard::requeue() {
    Hosts excluded;
    if (policy_.exclude_hosts) excluded = avoided_;
    if (excluded.size() > static_cast<size_t>(policy_.max_excluded)) {
        log::warn("{} bad hosts are known, only the last {} are excluded", excluded.size(),
                  policy_.max_excluded);
        excluded.erase(excluded.begin(), excluded.end() - policy_.max_excluded);
    }
    // Slurm ends this script once the job is back in the queue.
    if (job_.requeue(excluded)) signals_.wait(kWaitForEnd_s);
    return ExitCode::kRequeue;
}

ExitCode Guard::hold(const Decision& decision, const Verdict& verdict) {
    const std::string why =
        format("{}; last cause: {}", decision.reason, cause_name(verdict.cause));
    const std::string remedy = cause_remedy(verdict.cause);
    log::error("held: {}{}{}", why, remedy.empty() ? "" : "; " + remedy,
               environment_.is_in_job() ? "; then: scontrol release " + job_.id() : "");
    if (job_.hold("job-guard: held: " + why)) signals_.wait(kWaitForEnd_s);
    return ExitCode::kStopped;
}

/// Ends for good, with the command's own exit code.
ExitCode Guard::stop(const Decision& decision, const Verdict& verdict, int exit_code) const {
    const bool is_on_purpose =
        verdict.cause == Cause::kCancelled || verdict.cause == Cause::kStopped;
    if (is_on_purpose) return ExitCode::kStopped;
    constexpr const char* kByHand = "not in a Slurm job: start it again yourself";
    if (is_orderly(verdict.cause)) {
        log::info("{}", kByHand);
        return ExitCode::kRequeue;
    }
    if (decision.reason.empty()) {
        log::error("{}: {}. {}", cause_name(verdict.cause), verdict.evidence,
                   cause_remedy(verdict.cause));
    } else {
        log::error("given up: {}; last cause: {}; {}; {}", decision.reason,
                   cause_name(verdict.cause), cause_remedy(verdict.cause), kByHand);
    }
    return exit_code > 0 && exit_code < 126 ? static_cast<ExitCode>(exit_code) : ExitCode::kFailed;
}

ExitCode Guard::finish(const Decision& decision, const Verdict& verdict, int exit_code) {
    switch (decision.action) {
        case Action::kDone:
            return ExitCode::kOk;
        case Action::kRestart:
        case Action::kRequeue:
            return requeue();
        case Action::kHold:
            return hold(decision, verdict);
        case Action::kLeave:
            return ExitCode::kRequeue;
        case Action::kStop:
            break;
    }
    return stop(decision, verdict, exit_code);
}

/// Without Slurm there is nothing to hold and no queue: it ends instead.
Decision Guard::decide_here(const Verdict& verdict) const {
    Decision decision = decide(verdict, assess(), policy_);
    const bool needs_slurm =
        decision.action == Action::kHold || decision.action == Action::kRequeue;
    if (needs_slurm && !environment_.is_in_job()) decision.action = Action::kStop;
    return decision;
}

/// Preflight and command. @throws UsageError when one can not be started; that is recorded.
LaunchResult Guard::try_start(uint64_t restart, Verdict& verdict) {
    LaunchResult result;
    try {
        switch (run_preflight()) {
            case Preflight::kPassed:
                result = start_command(restart);
                verdict = classify(gather(result, restart));
                break;
            case Preflight::kToldToEnd:
                result.exit_code = to_int(ExitCode::kRequeue);
                verdict = told_before_start();
                break;
            case Preflight::kFailed:
                verdict = {Cause::kNode,
                           {},
                           {},
                           hosts_.empty() ? "preflight failed" : "preflight left too few hosts"};
        }
    } catch (const UsageError& error) {
        result.exit_code = to_int(ExitCode::kUsage);
        verdict = {Cause::kConfiguration, {}, {}, error.what()};
        record_end(verdict, {Action::kStop, ""}, result, restart);
        throw;
    }
    return result;
}

ExitCode Guard::run() {
    remember_job(environment_.job_id, options_.run);
    while (true) {
        hosts_ = job_.hosts();
        notice_.start(time(nullptr), job_.info());
        const uint64_t restart = history_.next_restart(environment_.restart_count);
        record_start(restart);
        Verdict verdict;
        const LaunchResult result = try_start(restart, verdict);
        blame(verdict);
        const Hosts before = hosts_;
        if (result.exit_code != 0) hosts_ = cluster::without_hosts(hosts_, verdict.dead_hosts);
        const Decision decision = decide_here(verdict);
        record_end(verdict, decision, result, restart);
        if (decision.action != Action::kRestart || !pause_before_restart()) {
            return finish(decision, verdict, result.first_task_code.value_or(result.exit_code));
        }
    }
}

/// Better no start than one whose history and checkpoints are lost. @throws UsageError
void require_run_directory(const std::filesystem::path& run) {
    if (run.empty()) return;
    std::error_code error;
    std::filesystem::create_directories(run, error);
    std::error_code ignored;
    if (std::filesystem::is_directory(run, ignored)) return;
    throw UsageError(format("--run {}: no run directory and none can be made: {}", run.string(),
                            error ? error.message() : "it is not a folder"));
}

}  // namespace

ExitCode run(const GuardOptions& options) {
    require_run_directory(options.run);
    return Guard(options).run();
}

}  // namespace longhaul::guard
