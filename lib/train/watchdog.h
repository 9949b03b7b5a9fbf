// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A thread that notices when a process makes no progress at all: it writes what every rank of the
// process was doing to RUN/ring, the exit record, and ends the process.

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "lib/comm/call_ring.h"
#include "lib/record/run_dir.h"

namespace longhaul::train {

class Watchdog {
 public:
    /// @param deadline_s longest time between two calls of touch(); 0: never fires.
    /// @param on_hang called with a description after the rings were written; ends the process.
    Watchdog(record::RunDirectory run, double deadline_s,
             std::function<void(const std::string&)> on_hang);
    ~Watchdog();

    /// Progress was made in `section` ("step 12", "save"); thread-safe.
    void touch(const std::string& section);
    /// Registers a rank of this process; the ring must outlive remove().
    void add(int rank, comm::CallRing& ring);
    void remove(int rank);
    /// Writes RUN/ring/rank-NNNNN.json for each registered rank. Never throws.
    void dump_rings() const;

 private:
    void loop(const std::stop_token& stop);

    record::RunDirectory run_;
    double deadline_s_;
    std::function<void(const std::string&)> on_hang_;
    mutable std::mutex mutex_;
    std::vector<std::pair<int, comm::CallRing*>> rings_;
    std::string section_ = "set-up";
    std::chrono::steady_clock::time_point last_touch_ = std::chrono::steady_clock::now();
    std::jthread thread_;
};

}  // namespace longhaul::train
