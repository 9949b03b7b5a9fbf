// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads what a launcher writes to stderr, line by line, for words that tell a cause and a host:
// srun's and mpirun's reports of dead tasks, Slurm's notices, errors of CUDA, NCCL and the kernel.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/guard/cause.h"

namespace longhaul::guard {

/// One line that tells something.
struct Clue {
    Cause cause = Cause::kCode;
    std::string host;                // "" when the line names none
    std::string line;                // as evidence, shortened
    int weight = 0;                  // of two clues the heavier counts, of equal ones the earlier
    bool is_launch_failure = false;  // the host could not even start the task
    std::optional<int> task_exit_code;  // srun's report of a task; 128 + n for signal n
};

/// The clue in one line, if there is any.
std::optional<Clue> read_clue(std::string_view line);

/// Collects clues of a stream that arrives in pieces.
class ErrorScan {
 public:
    void feed(std::string_view text);
    /// The heaviest clue; nothing when no line told anything.
    const std::optional<Clue>& best() const { return best_; }
    /// Hosts that srun reports as those of tasks that failed first (not of tasks ended after them).
    const std::vector<std::string>& failed_hosts() const { return failed_hosts_; }
    /// The exit code of the task that failed first. srun's own is the highest of all tasks, also
    /// of those that it ended afterwards.
    std::optional<int> first_task_code() const { return first_task_code_; }

 private:
    void take_line(std::string_view line);

    std::string partial_;
    std::optional<Clue> best_;
    std::vector<std::string> failed_hosts_;
    std::optional<int> first_task_code_;
};

}  // namespace longhaul::guard
