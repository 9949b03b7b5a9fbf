// SPDX-License-Identifier: BSD-3-Clause
#include "lib/io/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "lib/base/error.h"
#include "lib/io/file.h"

namespace longhaul::io {

namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
    UniqueFd read_end, write_end;
    Pipe() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw IoError("cannot create a pipe");
        read_end = UniqueFd(ends[0]);
        write_end = UniqueFd(ends[1]);
    }
};

/// The exit code of a child whose exec failed; told apart from a program's own 127 by the pipe.
constexpr int kExecFailed = 127;

/// Gathers what one child writes until both pipes close or the deadline passes.
class Collector {
 public:
    Collector(ChildResult& result, size_t max_bytes, Clock::time_point deadline)
        : result_(result), max_bytes_(max_bytes), deadline_(deadline) {}

    /// @return false when the deadline passed first.
    bool collect(UniqueFd& out, UniqueFd& err, UniqueFd& in, std::string_view input) {
        while (out || err) {
            const auto left =
                std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now());
            if (left.count() <= 0) return false;
            std::array<pollfd, 3> polled = {pollfd{out ? out.get() : -1, POLLIN, 0},
                                            pollfd{err ? err.get() : -1, POLLIN, 0},
                                            pollfd{in ? in.get() : -1, POLLOUT, 0}};
            const int ready = ::poll(polled.data(), polled.size(), static_cast<int>(left.count()));
            if (ready < 0 && errno != EINTR) throw IoError("cannot poll a child's output");
            if (ready <= 0) continue;
            if (polled[0].revents != 0) drain(out, result_.output);
            if (polled[1].revents != 0) drain(err, result_.error_output);
            if (polled[2].revents != 0) feed(in, input);
        }
        return true;
    }

 private:
    void drain(UniqueFd& fd, std::string& to) const {
        std::array<char, 16384> buffer;
        const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) return;
        if (n <= 0) {
            fd.reset();
            return;
        }
        const size_t room = max_bytes_ - std::min(max_bytes_, to.size());
        to.append(buffer.data(), std::min(room, static_cast<size_t>(n)));
    }

    static void feed(UniqueFd& fd, std::string_view& input) {
        // A child that closed its stdin is not an error of ours: EPIPE ends the feeding.
        const ssize_t n = input.empty() ? 0 : ::write(fd.get(), input.data(), input.size());
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
        if (n <= 0) {
            fd.reset();
            return;
        }
        input.remove_prefix(static_cast<size_t>(n));
        if (input.empty()) fd.reset();
    }

    ChildResult& result_;
    size_t max_bytes_;
    Clock::time_point deadline_;
};

/// Waits until `pid` has ended or `deadline` passes. @return false in the second case.
bool wait_until(pid_t pid, Clock::time_point deadline, int& status) {
    while (true) {
        const pid_t ended = ::waitpid(pid, &status, WNOHANG);
        if (ended == pid) return true;
        if (ended < 0 && errno != EINTR) throw IoError("cannot wait for a child");
        if (Clock::now() >= deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

void set_exit(ChildResult& result, int status) {
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
}

/// Collects the child's output and its end; kills its process group at the deadline.
void supervise(pid_t pid, ChildResult& result, UniqueFd out, UniqueFd err, UniqueFd in,
               const ChildOptions& options) {
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(options.deadline_s));
    int status = 0;
    Collector collector(result, options.max_output_bytes, deadline);
    const bool in_time = collector.collect(out, err, in, options.standard_input) &&
                         wait_until(pid, deadline, status);
    if (in_time) {
        set_exit(result, status);
        return;
    }
    result.timed_out = true;
    ::kill(-pid, SIGKILL);
    // A task in uninterruptible sleep is left behind rather than waited for.
    if (wait_until(pid, Clock::now() + std::chrono::milliseconds(500), status)) {
        set_exit(result, status);
    }
}

void redirect(int from, int to) {
    if (::dup2(from, to) < 0) ::_exit(kExecFailed);
}

void reset_signals() {
    sigset_t none;
    ::sigemptyset(&none);
    for (const int number : {SIGPIPE, SIGTERM, SIGINT, SIGALRM}) ::signal(number, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Whoever started this process may have had SIGCHLD ignored, and the ends of children with it.
void want_ends_of_children() {
    struct sigaction now {};
    if (::sigaction(SIGCHLD, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) {
        ::signal(SIGCHLD, SIG_DFL);
    }
}

/// The child ends with the thread that waits for it.
void follow_parent(pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(kExecFailed);  // it died before that
}

}  // namespace

ChildResult run_command(const std::vector<std::string>& argv, const ChildOptions& options) {
    ChildResult result;
    Pipe in, out, err, exec_error;
    std::vector<char*> arguments;
    arguments.reserve(argv.size() + 1);
    for (const std::string& argument : argv)
        arguments.push_back(const_cast<char*>(argument.data()));
    arguments.push_back(nullptr);
    want_ends_of_children();
    const pid_t pid = ::fork();
    if (pid < 0) throw IoError("cannot fork");
    if (pid == 0) {
        ::setpgid(0, 0);
        reset_signals();
        redirect(in.read_end.get(), STDIN_FILENO);
        redirect(out.write_end.get(), STDOUT_FILENO);
        redirect(err.write_end.get(), STDERR_FILENO);
        for (const std::string& entry : options.extra_environment) {
            ::putenv(const_cast<char*>(entry.data()));
        }
        ::execvp(arguments[0], arguments.data());
        const int error = errno;
        [[maybe_unused]] const ssize_t n =
            ::write(exec_error.write_end.get(), &error, sizeof error);
        ::_exit(kExecFailed);
    }
    ::setpgid(pid, pid);
    in.read_end.reset();
    out.write_end.reset();
    err.write_end.reset();
    exec_error.write_end.reset();
    int error = 0;
    if (::read(exec_error.read_end.get(), &error, sizeof error) == sizeof error) {
        result.not_found = true;
        result.error_output = format("{}: {}", argv[0], std::strerror(error));
    }
    ::fcntl(in.write_end.get(), F_SETFL, O_NONBLOCK);
    supervise(pid, result, std::move(out.read_end), std::move(err.read_end),
              std::move(in.write_end), options);
    return result;
}

ChildResult run_in_child(const std::function<std::string()>& body, double deadline_s) {
    ChildResult result;
    Pipe out, err;
    const pid_t parent = ::getpid();
    want_ends_of_children();
    const pid_t pid = ::fork();
    if (pid < 0) throw IoError("cannot fork");
    if (pid == 0) {
        ::setpgid(0, 0);
        reset_signals();
        follow_parent(parent);
        int code = 0;
        std::string text;
        int fd = out.write_end.get();
        try {
            text = body();
        } catch (const Error& error) {
            text = error.describe();
            code = to_int(error.exit_code());
        } catch (const std::exception& error) {
            text = error.what();
            code = to_int(ExitCode::kFailed);
        }
        if (code != 0) fd = err.write_end.get();
        try {
            write_full(fd, text, "the result pipe");
        } catch (const std::exception&) {
            code = to_int(ExitCode::kFailed);  // the parent is gone
        }
        ::_exit(code);
    }
    ::setpgid(pid, pid);
    out.write_end.reset();
    err.write_end.reset();
    ChildOptions options;
    options.deadline_s = deadline_s;
    supervise(pid, result, std::move(out.read_end), std::move(err.read_end), UniqueFd(), options);
    return result;
}

}  // namespace longhaul::io
