// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/notice.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "lib/comm/world.h"
#include "lib/io/json.h"
#include "lib/train/exit_cause.h"
#include "lib/train/phase_timer.h"
#include "lib/train/watchdog.h"

namespace longhaul::train {
namespace {

TEST_CASE("notice: the first signal is remembered, and old handlers come back") {
    {
        const NoticeSignals signals;
        CHECK(NoticeSignals::received() == 0);
        std::raise(SIGUSR1);
        std::raise(SIGTERM);
        CHECK(NoticeSignals::received() == SIGUSR1);
    }
    struct sigaction now {};
    sigaction(SIGUSR1, nullptr, &now);
    const bool is_default = now.sa_handler == SIG_DFL;
    CHECK(is_default);
}

TEST_CASE("watchdog: silence is noticed, and the rings are written") {
    std::string name = (std::filesystem::temp_directory_path() / "longhaul-XXXXXX").string();
    const record::RunDirectory run(mkdtemp(name.data()));
    auto world = comm::solo_world();
    double value = 1;
    world->comm().all_reduce(std::span(&value, 1), comm::Op::kSum, {7, -1, "loss"});
    std::atomic<bool> is_hung{false};
    std::string text;
    {
        Watchdog watchdog(run, 0.05, [&](const std::string& what) {
            text = what;
            is_hung = true;
        });
        watchdog.add(0, world->ring());
        watchdog.touch("step 8");
        const auto start = std::chrono::steady_clock::now();
        while (!is_hung && std::chrono::steady_clock::now() - start < std::chrono::seconds(10)) {
            std::this_thread::yield();
        }
    }
    CHECK(text.find("step 8") != std::string::npos);
    CHECK(io::read_json_file(run.ring(0))["entries"][0]["step"] == 7);
    std::filesystem::remove_all(run.root());
}

TEST_CASE("exit_cause: every kind of error has its word") {
    CHECK(cause_of(UsageError("x")) == "configuration");
    CHECK(cause_of(DataError("x")) == "data");
    CHECK(cause_of(IoError("x", ENOSPC)) == "disk");
    CHECK(cause_of(IoError("x", EDQUOT)) == "disk");
    CHECK(cause_of(IoError("x", ENOENT)) == "data");
    CHECK(cause_of(CommError("x")) == "network");
    CHECK(cause_of(comm::TimeoutError("x")) == "hang");
    CHECK(cause_of(GpuError("x")) == "gpu");
    CHECK(cause_of(std::bad_alloc()) == "memory");
    CHECK(cause_of(std::runtime_error("x")) == "code");
    CHECK(cause_of(TrainError("non-finite", "x", ExitCode::kFailed)) == "non-finite");
}

TEST_CASE("phase_timer: the table has every phase and the rest") {
    PhaseTimer timer;
    CHECK(timer.time(Phase::kForward, [] { return 3; }) == 3);
    CHECK(timer.seconds(Phase::kForward) > 0);
    const std::string table = timer.table(2, 1.0);
    for (int i = 0; i < kNumPhases; ++i) {
        CHECK(table.find(name_of(static_cast<Phase>(i))) != std::string::npos);
    }
    CHECK(table.find("other") != std::string::npos);
}

}  // namespace
}  // namespace longhaul::train
