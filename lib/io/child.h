// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Child processes with a deadline: run a command, or run a function in a forked child so that a
// hung driver call can be given up.

#include <functional>
#include <string>
#include <vector>

namespace longhaul::io {

struct ChildResult {
    int exit_code = -1;        // when it exited
    int signal = 0;            // when a signal ended it
    bool timed_out = false;    // killed by us; output up to then is kept
    bool not_found = false;    // the program does not exist or may not be executed
    std::string output;        // its stdout (capped)
    std::string error_output;  // its stderr (capped)
    bool ok() const { return exit_code == 0 && !timed_out; }
};

struct ChildOptions {
    double deadline_s = 10;
    size_t max_output_bytes = 16 << 20;
    std::vector<std::string> extra_environment;  // "NAME=value"
    std::string standard_input;
};

/// Runs `argv` (searched in PATH) in its own process group; past the deadline the whole group is
/// killed and not waited for longer than a moment (a task in D state can not be reaped).
ChildResult run_command(const std::vector<std::string>& argv, const ChildOptions& options = {});

/// Runs `body` in a forked child and returns what it printed through its return value.
/// An exception in it becomes exit code 3 with its text in error_output. The child calls _exit().
ChildResult run_in_child(const std::function<std::string()>& body, double deadline_s);

}  // namespace longhaul::io
