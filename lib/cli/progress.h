// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Progress on stderr: a live line on a terminal, a line a minute in a batch log, else nothing.

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>

namespace longhaul::cli {

/// Shows "what: 45% 1.2 GiB/2.6 GiB 312 MiB/s ETA 4.1s" while alive. add() is thread-safe and
/// cheap; a thread of its own draws. finish() (or the destructor) removes the live line.
class Progress {
 public:
    /// @param total_bytes 0: unknown, shows the rate only.
    /// @param wanted --[no-]progress; unset: on a terminal, or in a batch job (SLURM_JOB_ID).
    Progress(std::string what, uint64_t total_bytes, std::optional<bool> wanted);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void add(uint64_t bytes) { done_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
    void set(uint64_t bytes) { done_bytes_.store(bytes, std::memory_order_relaxed); }
    void finish();

 private:
    void draw_loop(const std::stop_token& stop);
    std::string line(double elapsed_s) const;

    std::string what_;
    uint64_t total_bytes_;
    bool on_terminal_;
    std::atomic<uint64_t> done_bytes_{0};
    std::jthread drawer_;
};

/// True when progress should be shown at all (see Progress).
bool progress_wanted(std::optional<bool> wanted);

}  // namespace longhaul::cli
