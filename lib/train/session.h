// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the ranks of one process share: configuration, run directory, lock, watchdog.

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "lib/base/exit_code.h"
#include "lib/comm/world.h"
#include "lib/record/lock.h"
#include "lib/record/run_dir.h"
#include "lib/train/config.h"
#include "lib/train/watchdog.h"

namespace longhaul::train {

struct SessionOptions {
    TrainConfig config;
    std::string run_directory;
    int threads_per_rank = 1;
    bool profile = false;
    bool force = false;            // take the lock from anybody
    std::optional<bool> progress;  // --[no-]progress
};

class Session {
 public:
    explicit Session(SessionOptions options);

    const SessionOptions& options() const { return options_; }
    const record::RunDirectory& run() const { return run_; }
    int64_t restart() const { return restart_; }
    Watchdog& watchdog() { return watchdog_; }

    /// Rank 0: makes RUN, takes its lock, writes run.toml, removes the exit record of an earlier
    /// start. @throws UsageError when another job writes there.
    void open_run();
    /// All ranks, once open_run() is known to have succeeded: exit records may be written.
    void set_open() { is_open_ = true; }
    /// Rank 0: copies the data's tokenizer into RUN, so that it is whole wherever it is moved.
    void keep_tokenizer() const;
    /// Rank 0, before each save. @throws Error when another one took the run over.
    void check_lock() const;
    /// Rank 0, before each save: a damaged checkpoint that the start passed over and that stands
    /// where this one goes is renamed to damaged-step-*, for a person to look at.
    void keep_passed_over(int64_t step) const;

    /// exit.json, if the run is ours. Never throws: the error it may hide is the one that matters.
    void write_exit(ExitCode code, const std::string& cause, const std::string& detail);
    /// For write_exit(): where the run stands.
    void set_position(int64_t step, int64_t committed_step);

 private:
    void on_hang(const std::string& text);

    SessionOptions options_;
    record::RunDirectory run_;
    int64_t restart_;
    std::unique_ptr<record::RunLock> lock_;
    std::atomic<bool> is_open_{false};
    std::atomic<int64_t> step_{0}, committed_step_{-1};
    Watchdog watchdog_;
};

/// The body of every rank: set-up, training, the last save. @return 0, 75 or 93, the same on all.
ExitCode run_rank(Session& session, comm::World& world);

}  // namespace longhaul::train
