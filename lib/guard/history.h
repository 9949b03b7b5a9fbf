// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// RUN/faults.jsonl: a line when the command starts, a line when it ends and what was decided
// (longhaul-run-directory.5). Appended with one write each; a torn last line and foreign events are
// skipped.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/guard/cause.h"

namespace longhaul::guard {

struct FaultEvent {
    std::string event;  // "start" or "end"
    int64_t time_unix_s = 0;
    std::string job_id;            // "" outside of Slurm
    uint64_t restart = 0;          // of the start; grows by one at each
    std::string nodes;             // start: hosts that may be used; end: hosts the cause lies with
    std::optional<uint64_t> step;  // newest committed one at that time
    // end only
    Cause cause = Cause::kCode;
    std::string evidence;
    std::string action;  // done, restart, requeue, hold, stop, leave
    int exit_code = 0;   // of the launcher
    double duration_s = 0;
};

/// Everything that was written, in order.
class History {
 public:
    /// @param run "" keeps the events in memory only. @throws IoError when the file can not be read
    explicit History(const std::filesystem::path& run);

    const std::vector<FaultEvent>& events() const { return events_; }
    /// Lines that are torn, no event, or of a newer schema.
    size_t num_unreadable() const { return num_unreadable_; }
    /// Appends to memory and file. A file that can not be written is warned about once.
    void append(const FaultEvent& event);

    /// The number for the next start: greater than all before, and at least `floor`.
    uint64_t next_restart(uint64_t floor) const;
    /// How many restarts, the latest included, began at `newest_step` and so have made no new
    /// one yet; counted anew after a person released a held job.
    uint64_t restarts_without_progress(std::optional<uint64_t> newest_step) const;
    /// How often each host was blamed (since the job was held, if it was).
    std::map<std::string, int> strikes() const;

 private:
    /// Index of the first event after the last one whose action was hold or stop.
    size_t begin_of_current() const;

    std::filesystem::path file_;
    std::vector<FaultEvent> events_;
    size_t num_unreadable_ = 0;
    bool has_warned_ = false;
};

}  // namespace longhaul::guard
