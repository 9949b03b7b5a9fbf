// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// From what is known about the end of a command to its cause. Pure, so that a table of cases can
// test it.

#include <optional>
#include <string>
#include <vector>

#include "lib/cluster/job_info.h"
#include "lib/guard/cause.h"
#include "lib/guard/error_scan.h"

namespace longhaul::guard {

/// RUN/exit.json, written by rank 0 of train-run as its last act (longhaul-run-directory.5).
struct ExitRecord {
    int code = 0;
    std::string cause;
    std::string host;  // the host it blames, or ""
    std::string detail;
    uint64_t step = 0;
    uint64_t restart = 0;
};

struct Evidence {
    int exit_code = 0;      // of the launcher; 128 + n when signal n ended it
    bool is_hang = false;   // job-guard ended it for lack of progress
    bool was_told = false;  // job-guard forwarded TERM, USR1 or USR2 to it, or sent a notice
    std::optional<ExitRecord> exit_record;  // only if it belongs to this very start
    std::optional<cluster::JobInfo> job;    // after the end; nothing when Slurm can not be asked
    std::vector<std::string> lost_hosts;    // of the allocation: down or not responding
    std::optional<Clue> clue;               // from stderr
    std::vector<std::string> failed_hosts;  // from stderr
    double notice_s = 0;                    // time left below which a notice means the time limit
};

struct Verdict {
    Cause cause = Cause::kCode;
    std::vector<std::string> hosts;       // that the cause lies with
    std::vector<std::string> dead_hosts;  // of those, unusable from now on
    std::string evidence;                 // one line for people
};

/// Order of trust: Slurm's word that the job was cancelled or ended by Slurm, the hang detector,
/// exit.json, the launcher's exit code where it is one of Longhaul's, hosts that Slurm lost,
/// clues on stderr, the signal that ended a rank.
Verdict classify(const Evidence& evidence);

}  // namespace longhaul::guard
