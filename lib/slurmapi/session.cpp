// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/slurmapi/session.h"

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace longhaul::slurmapi {
namespace {

/// Answers of a healthy controller, as opposed to failures to reach one.
ExitCode exit_code_of(int slurm_errno) {
    switch (slurm_errno) {
        case ESLURM_INVALID_JOB_ID:
        case ESLURM_INVALID_NODE_NAME:
        case ESLURM_ACCESS_DENIED:
        case ESLURM_USER_ID_MISSING:
        case ESLURM_JOB_NOT_PENDING:
        case ESLURM_JOB_PENDING:
        case ESLURM_JOB_NOT_RUNNING:
        case ESLURM_ALREADY_DONE:
        case ESLURM_DISABLED:
        case ESLURM_BATCH_ONLY:
        case ESLURM_NOT_HET_JOB_LEADER:
            return ExitCode::kNegative;
        default:
            return ExitCode::kFailed;
    }
}

std::string error_text(const std::string& what, int slurm_errno) {
    return format("{}: {} (Slurm error {})", what, slurm_strerror(slurm_errno), slurm_errno);
}

/// Async-signal-safe: one write, then out.
template <size_t kSize>
[[noreturn]] void leave(const char (&json_line)[kSize]) {
    [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, json_line, kSize - 1);
    _exit(to_int(ExitCode::kFailed));
}

void on_deadline(int) {
    leave(
        "{\"schema\":1,\"error\":\"no answer from the Slurm controller in time\","
        "\"slurm_errno\":0}\n");
}

volatile std::sig_atomic_t is_initialising = 0;

/// libslurm's fatal() has logged the cause on stderr and called exit(1).
void on_exit() {
    if (is_initialising == 0) return;
    leave(
        "{\"schema\":1,\"error\":\"libslurm can not start: no readable slurm.conf (SLURM_CONF), or "
        "no "
        "controller to ask for it\",\"slurm_errno\":0}\n");
}

}  // namespace

SlurmError::SlurmError(const std::string& what, int slurm_errno)
    : ClusterError(error_text(what, slurm_errno), exit_code_of(slurm_errno)),
      slurm_errno_(slurm_errno) {}

void check(int return_code, const char* what) {
    if (return_code != SLURM_SUCCESS) throw SlurmError(what, errno);
}

void arm_deadline(unsigned seconds) {
    struct sigaction action = {};
    action.sa_handler = on_deadline;
    sigaction(SIGALRM, &action, nullptr);
    sigset_t deadline;  // may be blocked by whoever started this
    sigemptyset(&deadline);
    sigaddset(&deadline, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &deadline, nullptr);
    alarm(seconds);
}

Session::Session() {
    static const int registered = std::atexit(on_exit);
    is_initialising = registered == 0 ? 1 : 0;
    slurm_init(nullptr);
    is_initialising = 0;
}
Session::~Session() {
    slurm_fini();
}

}  // namespace longhaul::slurmapi
