// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The exit codes that every Longhaul program shares (longhaul.7, "EXIT STATUS").

namespace longhaul {

enum class ExitCode : int {
    kOk = 0,        // done, healthy
    kNegative = 1,  // ran well, the answer is negative
    kUsage = 2,     // usage or configuration
    kFailed = 3,    // I/O, MPI, CUDA, bad data; or could not tell
    kRequeue = 75,  // saved and wants a requeue (EX_TEMPFAIL of sysexits.h)
    kStopped = 93,  // stopped on purpose: do not requeue
};

constexpr int to_int(ExitCode code) {
    return static_cast<int>(code);
}

}  // namespace longhaul
