// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The lock of a run directory: one writer at a time, on any host, fenced by (job, restart). Works
// on NFS (link(2) is atomic there, flock is not everywhere).

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace longhaul::record {

/// Who holds a lock.
struct LockOwner {
    std::string host;
    int64_t pid = 0;
    int64_t pid_start = 0;  // start time of the process in clock ticks: pids are used again
    std::string boot;       // id of the host's boot
    std::string job;        // SLURM_JOB_ID, or ""
    int64_t restart = 0;
    double taken_s = 0;  // Unix time

    bool operator==(const LockOwner&) const = default;
    /// "job 1234 (restart 2), pid 77 on n3, since 2026-01-31 12:00:05".
    std::string describe() const;
    /// This process.
    static LockOwner self(int64_t restart);
};

/// @return nothing when the file does not exist. @throws DataError when it is no lock.
std::optional<LockOwner> read_lock(const std::filesystem::path& path);

/// Why `owner` no longer counts for `self`, or "" when it does: its process is gone (same host),
/// its host was booted since, or it is an earlier restart of the same job.
std::string why_stale(const LockOwner& owner, const LockOwner& self);

class RunLock {
 public:
    /// Takes the lock. A stale one is taken over with a warning. @param force takes any.
    /// @throws UsageError naming the owner and the way out when another one holds it.
    RunLock(std::filesystem::path path, int64_t restart, bool force);
    /// Removes it, if it is still ours.
    ~RunLock();
    RunLock(const RunLock&) = delete;
    RunLock& operator=(const RunLock&) = delete;

    /// @throws Error when somebody else has taken the run over: this process must write no more.
    void check_still_held() const;

 private:
    std::filesystem::path path_;
    LockOwner self_;
};

}  // namespace longhaul::record
