// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Requests to save and end: TERM, USR1, USR2 and INT set a flag, nothing else. Ranks agree on it in
// the step's own all-reduce.

#include <csignal>

#include <atomic>
#include <thread>

namespace longhaul::train {

/// While it lives the signals only set the flag; a second INT ends the process at once.
///
/// A thread of its own waits for them, and they are blocked on the one that creates this and on all
/// that are created after: no handler may run on a thread that computes. oneDNN's sgemm (2.6)
/// points the stack pointer into a buffer on the heap while it sums over a long K, and the frame of
/// a handler would be written below it, over memory of others. So this comes before MPI and before
/// the first parallel region; programs that are started must unblock the signals (io::run_command
/// does).
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

 private:
    void listen();

    sigset_t signals_, mask_before_;
    std::atomic<bool> ends_{false};
    std::thread listener_;
};

}  // namespace longhaul::train
