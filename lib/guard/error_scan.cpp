// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/error_scan.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <csignal>
#include <cstring>

#include "lib/base/exit_code.h"

namespace longhaul::guard {
namespace {

constexpr size_t kMaxLine = 4096;  // longer lines are cut: clues stand at the beginning
constexpr size_t kMaxEvidence = 240;
constexpr size_t kMaxFailedHosts = 64;
constexpr int kTaskFailed = 30;  // weights, see kPatterns
constexpr int kEcho = 5;

struct Pattern {
    const char* text;  // found anywhere in the line
    Cause cause;
    int weight;
};

// Heavier: closer to the root. A dead connection is often the echo of a dead process, a process
// killed by the launcher the echo of one that died by itself.
constexpr std::array kPatterns{
    Pattern{"DUE TO TIME LIMIT", Cause::kTimeLimit, 90},
    Pattern{"DUE TO PREEMPTION", Cause::kPreemption, 90},
    Pattern{"DUE TO NODE FAILURE", Cause::kNode, 80},
    Pattern{"Node failure on ", Cause::kNode, 80},
    Pattern{"oom-kill event", Cause::kMemory, 85},
    Pattern{"oom_kill event", Cause::kMemory, 85},
    Pattern{"Out Of Memory", Cause::kMemory, 84},
    Pattern{"CUDA out of memory", Cause::kMemory, 84},
    Pattern{"cudaErrorMemoryAllocation", Cause::kMemory, 84},
    Pattern{"std::bad_alloc", Cause::kMemory, 83},
    Pattern{"Cannot allocate memory", Cause::kMemory, 70},
    Pattern{"No space left on device", Cause::kDisk, 75},
    Pattern{"Disk quota exceeded", Cause::kDisk, 75},
    Pattern{"fallen off the bus", Cause::kGpu, 82},
    Pattern{"uncorrectable ECC error", Cause::kGpu, 82},
    Pattern{"cudaErrorECCUncorrectable", Cause::kGpu, 82},
    Pattern{"GPU is lost", Cause::kGpu, 82},
    Pattern{"NVRM: Xid", Cause::kGpu, 81},
    Pattern{"CUDA error", Cause::kGpu, 60},
    Pattern{"CUDA driver error", Cause::kGpu, 60},
    Pattern{"CUDNN_STATUS_EXECUTION_FAILED", Cause::kGpu, 60},
    Pattern{"ncclSystemError", Cause::kNetwork, 50},
    Pattern{"ncclRemoteError", Cause::kNetwork, 40},
    Pattern{"ncclInternalError", Cause::kNetwork, 40},
    Pattern{"IBV_WC_RETRY_EXC_ERR", Cause::kNetwork, 55},
    Pattern{"No route to host", Cause::kNetwork, 45},
    Pattern{"Network is unreachable", Cause::kNetwork, 45},
    Pattern{"Connection reset by peer", Cause::kNetwork, 20},
    Pattern{"Connection timed out", Cause::kNetwork, 35},
};

bool contains(std::string_view line, std::string_view word) {
    return line.find(word) != std::string_view::npos;
}

bool is_host_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
}

/// The host name that begins at `at`; "" when none does.
std::string host_at(std::string_view line, size_t at) {
    size_t end = at;
    while (end < line.size() && is_host_character(line[end])) ++end;
    return std::string(line.substr(at, end - at));
}

/// The word after `marker`; "" when the marker is not there.
std::string host_after(std::string_view line, std::string_view marker) {
    const size_t at = line.find(marker);
    return at == std::string_view::npos ? "" : host_at(line, at + marker.size());
}

/// What srun's report says about a task's end: ": Exited with exit code 3", ": Killed (core
/// dumped)".
std::optional<int> task_exit_code(std::string_view report) {
    constexpr std::string_view kExited = "Exited with exit code ";
    const size_t at = report.find(kExited);
    if (at != std::string_view::npos) {
        int code = 0;
        const std::string_view digits = report.substr(at + kExited.size());
        std::from_chars(digits.data(), digits.data() + digits.size(), code);
        return code;
    }
    for (const int signal : {SIGKILL, SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTERM}) {
        if (contains(report, strsignal(signal))) return 128 + signal;
    }
    return std::nullopt;
}

/// "srun: error: n2: task 1: Killed" and "... tasks 0,2: Exited with exit code 3".
std::optional<Clue> read_srun_report(std::string_view line) {
    constexpr std::string_view kPrefix = "srun: error: ";
    const size_t begin = line.find(kPrefix);
    if (begin == std::string_view::npos) return std::nullopt;
    const std::string host = host_at(line, begin + kPrefix.size());
    const std::string_view rest = line.substr(begin + kPrefix.size() + host.size());
    if (host.empty() || rest.rfind(": task", 0) != 0) return std::nullopt;
    Clue clue{Cause::kCode, host, "", kTaskFailed, false, task_exit_code(rest)};
    if (contains(rest, "Killed")) clue.cause = Cause::kNode;
    if (contains(rest, "Out Of Memory")) clue.cause = Cause::kMemory, clue.weight = 84;
    // Ended by the launcher or by Slurm, or saved because of that.
    const bool is_echo =
        contains(rest, "Terminated") || clue.task_exit_code == to_int(ExitCode::kRequeue);
    if (is_echo) clue.weight = kEcho;
    return clue;
}

/// "Task launch for StepId=1.0 failed on node n2: Communication connection failure" and
/// "srun: error: Unable to ... on node n2".
std::optional<Clue> read_launch_failure(std::string_view line) {
    const bool is_launch = contains(line, "Task launch for ") || contains(line, "launch failed");
    if (!is_launch || !contains(line, "srun: error")) return std::nullopt;
    return Clue{Cause::kNode, host_after(line, "failed on node "), "", 78, true, {}};
}

/// "mpirun noticed that process rank 1 with PID 0 on node n2 exited on signal 9 (Killed)."
std::optional<Clue> read_mpirun_report(std::string_view line) {
    if (!contains(line, "mpirun noticed that process rank")) return std::nullopt;
    const bool is_killed = contains(line, "signal 9");
    return Clue{is_killed ? Cause::kNode : Cause::kCode,
                host_after(line, " on node "),
                "",
                kTaskFailed,
                false,
                {}};
}

}  // namespace

std::optional<Clue> read_clue(std::string_view line) {
    line = line.substr(0, kMaxLine);
    std::optional<Clue> clue = read_srun_report(line);
    if (!clue) clue = read_launch_failure(line);
    if (!clue) clue = read_mpirun_report(line);
    for (const Pattern& pattern : kPatterns) {
        if ((clue && clue->weight >= pattern.weight) || !contains(line, pattern.text)) continue;
        std::string host = clue ? clue->host : "";
        if (pattern.cause == Cause::kNode) host = host_after(line, "Node failure on ");
        clue = Clue{pattern.cause,  host,  "",
                    pattern.weight, false, clue ? clue->task_exit_code : std::nullopt};
    }
    if (clue) clue->line = std::string(line.substr(0, kMaxEvidence));
    return clue;
}

void ErrorScan::take_line(std::string_view line) {
    std::optional<Clue> clue = read_clue(line);
    if (!clue) return;
    const bool is_echo = clue->weight <= kEcho;
    const bool is_known =
        std::find(failed_hosts_.begin(), failed_hosts_.end(), clue->host) != failed_hosts_.end();
    if (!is_echo && !clue->host.empty() && !is_known && failed_hosts_.size() < kMaxFailedHosts) {
        failed_hosts_.push_back(clue->host);
    }
    if (!is_echo && !first_task_code_) first_task_code_ = clue->task_exit_code;
    if (!best_ || clue->weight > best_->weight) best_ = std::move(clue);
}

void ErrorScan::feed(std::string_view text) {
    for (size_t newline; (newline = text.find('\n')) != std::string_view::npos;) {
        partial_.append(text.substr(0, std::min(newline, kMaxLine)));
        take_line(partial_);
        partial_.clear();
        text.remove_prefix(newline + 1);
    }
    if (partial_.size() < kMaxLine) partial_.append(text.substr(0, kMaxLine));
}

}  // namespace longhaul::guard
