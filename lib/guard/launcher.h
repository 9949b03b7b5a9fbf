// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Runs the guarded command: forwards signals to it, copies its stderr while reading it for clues,
// and ends it when it is told that there is no progress.

#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "lib/guard/error_scan.h"
#include "lib/io/file.h"

namespace longhaul::guard {

/// Signals of this process as a descriptor: TERM, INT, HUP (unless it was ignored, as nohup(1)
/// does), USR1, USR2 and CHLD are blocked and read from it, so that nothing is ever interrupted.
/// PIPE is ignored: a log whose reader has left ends nothing. One object a process.
class SignalQueue {
 public:
    SignalQueue();
    ~SignalQueue();
    SignalQueue(const SignalQueue&) = delete;
    SignalQueue& operator=(const SignalQueue&) = delete;

    int fd() const { return fd_.get(); }
    /// The next waiting signal, or 0.
    int take();
    /// Waits up to `seconds` for one that is not CHLD. @return 0 when none came.
    int wait(double seconds);
    /// In a child before it runs another program: all as it was.
    void restore() const;

 private:
    io::UniqueFd fd_;
    sigset_t old_mask_;
    struct sigaction old_pipe_;
};

/// How the command ended.
struct LaunchResult {
    int exit_code = 0;  // 128 + n when signal n ended it
    bool was_told = false;
    bool is_hang = false;
    double duration_s = 0;
    std::optional<Clue> clue;
    std::vector<std::string> failed_hosts;
    std::optional<int> first_task_code;
};

/// What the caller wants in a second's tick.
struct TickRequest {
    int signal = 0;        // send this to the command
    bool is_hang = false;  // end it: TERM, after the grace KILL
};

struct LaunchOptions {
    std::vector<std::string> argv;
    std::vector<std::string> environment;  // "NAME=value" added to this process's own
    double kill_grace_s = 30;
    std::function<TickRequest(double now_s)> on_tick;  // about once a second
    std::function<void()> kill_remains;  // just before the KILL: ends what is out of reach
};

/// @throws UsageError when the program does not exist; IoError
LaunchResult launch(const LaunchOptions& options, SignalQueue& signals);

/// Seconds of a clock that never jumps.
double steady_now_s();

}  // namespace longhaul::guard
