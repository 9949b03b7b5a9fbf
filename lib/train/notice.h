// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Requests to save and end: TERM, USR1, USR2 and INT set a flag, nothing else. Ranks agree on it in
// the step's own all-reduce.

#include <filesystem>

namespace longhaul::train {

/// While it lives the signals only set the flag; a second INT ends the process at once.
class NoticeSignals {
 public:
    NoticeSignals();
    ~NoticeSignals();
    NoticeSignals(const NoticeSignals&) = delete;
    NoticeSignals& operator=(const NoticeSignals&) = delete;

    /// Number of the first signal that came, 0: none.
    static int received();
    /// As if the signal had come; for tests.
    static void set(int signal_number);
};

}  // namespace longhaul::train
