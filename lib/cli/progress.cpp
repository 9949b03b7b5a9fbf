// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cli/progress.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "lib/base/format.h"
#include "lib/base/units.h"
#include "lib/log/log.h"

namespace longhaul::cli {

namespace {
using Clock = std::chrono::steady_clock;
constexpr auto kTerminalPeriod = std::chrono::milliseconds(200);
constexpr auto kBatchPeriod = std::chrono::seconds(60);
}  // namespace

bool progress_wanted(std::optional<bool> wanted) {
    if (log::level() > log::Level::kInfo) return false;
    if (wanted) return *wanted;
    return ::isatty(STDERR_FILENO) != 0 || std::getenv("SLURM_JOB_ID") != nullptr;
}

Progress::Progress(std::string what, uint64_t total_bytes, std::optional<bool> wanted)
    : what_(std::move(what)),
      total_bytes_(total_bytes),
      on_terminal_(::isatty(STDERR_FILENO) != 0) {
    if (progress_wanted(wanted)) {
        drawer_ = std::jthread([this](const std::stop_token& stop) { draw_loop(stop); });
    }
}

Progress::~Progress() {
    finish();
}

void Progress::finish() {
    if (!drawer_.joinable()) return;
    drawer_.request_stop();
    drawer_.join();
    if (on_terminal_) std::fputs("\r\x1b[K", stderr);
}

void Progress::draw_loop(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    const auto start = Clock::now();
    std::unique_lock lock(mutex);
    while (true) {
        const Clock::duration period =
            on_terminal_ ? Clock::duration(kTerminalPeriod) : Clock::duration(kBatchPeriod);
        wake.wait_for(lock, stop, period, [] { return false; });
        if (stop.stop_requested()) return;
        const double elapsed_s = std::chrono::duration<double>(Clock::now() - start).count();
        if (on_terminal_) {
            std::fputs(("\r" + line(elapsed_s) + "\x1b[K").c_str(), stderr);
        } else {
            log::info("{}", line(elapsed_s));
        }
    }
}

std::string Progress::line(double elapsed_s) const {
    const uint64_t done = done_bytes_.load(std::memory_order_relaxed);
    const double rate = static_cast<double>(done) / elapsed_s;
    const std::string speed = human_bytes(static_cast<uint64_t>(rate)) + "/s";
    if (total_bytes_ == 0) return format("{}: {} {}", what_, human_bytes(done), speed);
    const double part = static_cast<double>(done) / static_cast<double>(total_bytes_);
    const double left_s =
        rate > 0 ? static_cast<double>(total_bytes_ - std::min(done, total_bytes_)) / rate : -1;
    return format("{}: {:.0f}% {}/{} {} ETA {}", what_, part * 100, human_bytes(done),
                  human_bytes(total_bytes_), speed, human_duration(left_s));
}

}  // namespace longhaul::cli
