// SPDX-License-Identifier: BSD-3-Clause
#include "lib/guard/launcher.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "lib/base/error.h"
#include "lib/log/log.h"

namespace longhaul::guard {
namespace {

constexpr int kTick_ms = 1000;
constexpr double kDrain_s = 1;  // for stderr that a surviving grandchild keeps open

sigset_t guarded_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGCHLD}) sigaddset(&set, signal);
    struct sigaction hangup {};
    sigaction(SIGHUP, nullptr, &hangup);
    if (hangup.sa_handler != SIG_IGN) sigaddset(&set, SIGHUP);
    return set;
}

void set_action(int signal, void (*handler)(int), struct sigaction* old) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, old);
}

struct Pipe {
    io::UniqueFd read_end, write_end;
    Pipe() {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) throw IoError("cannot create a pipe");
        read_end = io::UniqueFd(ends[0]);
        write_end = io::UniqueFd(ends[1]);
    }
};

/// In the child: never returns. errno of a failed exec goes through `report`.
[[noreturn]] void exec_child(const LaunchOptions& options, const SignalQueue& signals, pid_t guard,
                             int error_fd, int report) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);    // a job-guard that is killed leaves no orphan at work
    if (getppid() != guard) _exit(126);  // it died before that
    dup2(error_fd, STDERR_FILENO);
    signals.restore();
    for (const std::string& variable : options.environment) putenv(strdup(variable.c_str()));
    std::vector<char*> argv;
    for (const std::string& word : options.argv) argv.push_back(strdup(word.c_str()));
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    const int error = errno;
    if (write(report, &error, sizeof error) < 0) _exit(126);
    _exit(127);
}

/// The running command.
class Process {
 public:
    Process(const LaunchOptions& options, SignalQueue& signals)
        : options_(options), signals_(signals), start_s_(steady_now_s()) {
        Pipe error_pipe, report_pipe;
        const pid_t guard = getpid();
        pid_ = fork();
        if (pid_ < 0) throw IoError("cannot fork");
        if (pid_ == 0) {
            exec_child(options, signals, guard, error_pipe.write_end.get(),
                       report_pipe.write_end.get());
        }
        setpgid(pid_, pid_);  // also here: a signal may be forwarded before the child runs
        error_pipe.write_end.reset();
        report_pipe.write_end.reset();
        int error = 0;
        if (read(report_pipe.read_end.get(), &error, sizeof error) == sizeof error) {
            waitpid(pid_, nullptr, 0);
            throw UsageError(format("cannot run {}: {}", options.argv[0], strerror(error)));
        }
        stderr_ = std::move(error_pipe.read_end);
    }

    LaunchResult wait() {
        while (!has_ended_) {
            std::array<pollfd, 2> polled{pollfd{signals_.fd(), POLLIN, 0},
                                         pollfd{stderr_ ? stderr_.get() : -1, POLLIN, 0}};
            const int ready = poll(polled.data(), polled.size(), kTick_ms);
            if (ready < 0 && errno != EINTR) throw IoError("cannot poll the command");
            if (polled[1].revents) copy_stderr();
            take_signals();
            tick();
        }
        drain_stderr();
        kill(-pid_, SIGKILL);  // what it left behind must not meet the next start
        waitpid(pid_, nullptr, 0);
        result_.duration_s = steady_now_s() - start_s_;
        result_.clue = scan_.best();
        result_.failed_hosts = scan_.failed_hosts();
        result_.first_task_code = scan_.first_task_code();
        return result_;
    }

 private:
    void take_signals() {
        while (const int signal = signals_.take()) {
            if (signal == SIGCHLD) {
                notice_end();
            } else {
                forward(signal);
            }
        }
    }

    void forward(int signal) {
        if (has_ended_) return;
        log::info("{} is passed on to the command", strsignal(signal));
        result_.was_told = true;
        kill(pid_, signal);
    }

    /// It stays a zombie until its group is ended, so that its number is nobody else's.
    void notice_end() {
        siginfo_t info{};
        const auto id = static_cast<id_t>(pid_);
        if (waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != pid_) {
            return;
        }
        has_ended_ = true;
        result_.exit_code = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
    }

    void tick() {
        const double now_s = steady_now_s();
        if (has_ended_ || now_s - last_tick_s_ < kTick_ms / 1000.0) return;
        last_tick_s_ = now_s;
        if (result_.is_hang) {
            if (now_s >= kill_at_s_) kill_all();
            return;
        }
        const TickRequest request = options_.on_tick ? options_.on_tick(now_s) : TickRequest{};
        if (request.signal) forward(request.signal);
        if (request.is_hang) {
            result_.is_hang = true;
            kill_at_s_ = now_s + options_.kill_grace_s;
            kill(-pid_, SIGTERM);
        }
    }

    void kill_all() {
        kill_at_s_ = HUGE_VAL;
        log::warn("the command did not end on TERM: KILL");
        if (options_.kill_remains) options_.kill_remains();
        kill(-pid_, SIGKILL);
    }

    /// @return false at the end of the stream.
    bool copy_stderr() {
        std::array<char, 65536> buffer;
        const ssize_t n = read(stderr_.get(), buffer.data(), buffer.size());
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) return true;
        if (n <= 0) {
            stderr_.reset();
            return false;
        }
        const std::string_view text(buffer.data(), static_cast<size_t>(n));
        scan_.feed(text);
        try {
            io::write_full(STDERR_FILENO, text, "standard error");
        } catch (const IoError&) {
            // Our own stderr is gone (a full disk under the job's log): the run matters more.
        }
        return true;
    }

    void drain_stderr() {
        const double until_s = steady_now_s() + kDrain_s;
        while (stderr_) {
            pollfd polled{stderr_.get(), POLLIN, 0};
            const double left_s = until_s - steady_now_s();
            if (left_s <= 0 || poll(&polled, 1, static_cast<int>(left_s * 1000)) <= 0) return;
            copy_stderr();
        }
    }

    const LaunchOptions& options_;
    SignalQueue& signals_;
    double start_s_;
    double last_tick_s_ = 0;
    double kill_at_s_ = HUGE_VAL;
    pid_t pid_ = -1;
    io::UniqueFd stderr_;
    ErrorScan scan_;
    LaunchResult result_;
    bool has_ended_ = false;
};

}  // namespace

double steady_now_s() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
}

SignalQueue::SignalQueue() {
    set_action(SIGPIPE, SIG_IGN, &old_pipe_);
    set_action(SIGCHLD, SIG_DFL, nullptr);  // ignored, it would not come
    const sigset_t set = guarded_signals();
    if (sigprocmask(SIG_BLOCK, &set, &old_mask_) != 0) throw IoError("cannot block signals");
    fd_ = io::UniqueFd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd_) throw IoError("cannot read signals");
}

SignalQueue::~SignalQueue() {
    restore();
}

void SignalQueue::restore() const {
    sigaction(SIGPIPE, &old_pipe_, nullptr);
    sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
}

int SignalQueue::take() {
    signalfd_siginfo info;
    return read(fd_.get(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo)
                                                              : 0;
}

int SignalQueue::wait(double seconds) {
    const double until_s = steady_now_s() + seconds;
    while (true) {
        while (const int signal = take()) {
            if (signal != SIGCHLD) return signal;
        }
        const double left_s = until_s - steady_now_s();
        if (left_s <= 0) return 0;
        pollfd polled{fd_.get(), POLLIN, 0};
        poll(&polled, 1, static_cast<int>(std::ceil(left_s * 1000)));
    }
}

LaunchResult launch(const LaunchOptions& options, SignalQueue& signals) {
    return Process(options, signals).wait();
}

}  // namespace longhaul::guard
