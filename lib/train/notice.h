// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Requests to save and end: TERM, USR1, USR2, INT and HUP set a flag, nothing else. Ranks agree on
// it in the step's own all-reduce.

#include <csignal>

#include <atomic>
#include <thread>

namespace longhaul::train {

/// While it lives the signals only set the flag; an INT that is not the first signal ends the
/// process at once. HUP is left alone where it was ignored before, as nohup(1) does. PIPE is
/// ignored: a log whose reader has left must not end a run that is to save.
///
/// A thread of its own waits for them, and they are blocked on the one that creates this and on all
/// that are created after: no handler may run on a thread that computes. oneDNN's sgemm (2.6)
/// points the stack pointer into a buffer on the heap while it sums over a long K, and the frame of
/// a handler would be written below it, over memory of others. So this comes before MPI and before
/// the first parallel region; programs that are started must unblock the signals (io::run_command
/// does). Threads that were there before (a preloaded profiler's) only set the flag, too.
class NoticeSignals {
 public:
    NoticeSignals();
    /// The signals stay blocked: one that comes between the last save and the end of the process
    /// must not change an exit code that is on record.
    ~NoticeSignals();
    NoticeSignals(const NoticeSignals&) = delete;
    NoticeSignals& operator=(const NoticeSignals&) = delete;

    /// Number of the first signal that came, 0: none.
    static int received();

 private:
    void listen();

    sigset_t signals_;
    std::atomic<bool> ends_{false};
    std::thread listener_;
};

}  // namespace longhaul::train
