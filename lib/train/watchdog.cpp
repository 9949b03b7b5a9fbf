// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/watchdog.h"

#include <algorithm>
#include <condition_variable>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/io/atomic_file.h"
#include "lib/log/log.h"

namespace longhaul::train {

Watchdog::Watchdog(record::RunDirectory run, double deadline_s,
                   std::function<void(const std::string&)> on_hang)
    : run_(std::move(run)), deadline_s_(deadline_s), on_hang_(std::move(on_hang)) {
    if (deadline_s_ > 0)
        thread_ = std::jthread([this](const std::stop_token& stop) { loop(stop); });
}

Watchdog::~Watchdog() = default;

void Watchdog::touch(const std::string& section) {
    const std::lock_guard lock(mutex_);
    section_ = section;
    last_touch_ = std::chrono::steady_clock::now();
}

void Watchdog::add(int rank, comm::CallRing& ring) {
    const std::lock_guard lock(mutex_);
    rings_.emplace_back(rank, &ring);
}

void Watchdog::remove(int rank) {
    const std::lock_guard lock(mutex_);
    std::erase_if(rings_, [&](const auto& entry) { return entry.first == rank; });
}

void Watchdog::dump_rings() const {
    const std::lock_guard lock(mutex_);
    for (const auto& [rank, ring] : rings_) {
        try {
            const auto path = run_.ring(rank);
            io::create_directories(path.parent_path());
            io::write_file_atomically(path, ring->to_json() + "\n");
        } catch (const std::exception& error) {
            log::warn("cannot write the call ring of rank {}: {}", rank, error.what());
        }
    }
}

void Watchdog::loop(const std::stop_token& stop) {
    std::mutex sleep_mutex;
    std::condition_variable_any wake;
    const auto nap = std::chrono::duration<double>(std::clamp(deadline_s_ / 10, 0.01, 1.0));
    while (!stop.stop_requested()) {
        {
            std::unique_lock lock(sleep_mutex);
            wake.wait_for(lock, stop, nap, [] { return false; });
        }
        std::string section;
        {
            const std::lock_guard lock(mutex_);
            const auto idle = std::chrono::steady_clock::now() - last_touch_;
            if (idle < std::chrono::duration<double>(deadline_s_)) continue;
            section = section_;
        }
        if (stop.stop_requested()) return;
        dump_rings();
        on_hang_(format("no progress for {} in {}; the last calls of each rank are in {}",
                        human_duration(deadline_s_), section, (run_.root() / "ring").string()));
        return;
    }
}

}  // namespace longhaul::train
