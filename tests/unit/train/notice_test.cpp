// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/notice.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include "kernels/matmul.h"
#include "lib/comm/world.h"
#include "lib/io/json.h"
#include "lib/train/exit_cause.h"
#include "lib/train/phase_timer.h"
#include "lib/train/watchdog.h"

namespace longhaul::train {
namespace {

/// Of the calling thread.
bool is_blocked(int signal_number) {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    return sigismember(&mask, signal_number) == 1;
}

/// As the batch system sends them: to the process, not to a thread.
void send(int signal_number) {
    ::kill(::getpid(), signal_number);
}

/// @return whether it came true within ten seconds.
template <class Condition>
bool comes_true(Condition condition) {
    const auto start = std::chrono::steady_clock::now();
    while (!condition()) {
        if (std::chrono::steady_clock::now() - start > std::chrono::seconds(10)) return false;
        std::this_thread::yield();
    }
    return true;
}

TEST_CASE("notice: the first signal is remembered, and the old state comes back") {
    {
        const NoticeSignals signals;
        CHECK(NoticeSignals::received() == 0);
        send(SIGUSR1);
        CHECK(comes_true([] { return NoticeSignals::received() != 0; }));
        send(SIGTERM);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        CHECK(NoticeSignals::received() == SIGUSR1);
    }
    struct sigaction now {};
    sigaction(SIGUSR1, nullptr, &now);
    const bool is_default = now.sa_handler == SIG_DFL;
    CHECK(is_default);
    CHECK_FALSE(is_blocked(SIGUSR1));
}

TEST_CASE("notice: no handler runs on a thread that computes") {
    const NoticeSignals signals;
    for (const int number : {SIGTERM, SIGUSR1, SIGUSR2, SIGINT}) {
        CHECK(is_blocked(number));
        bool later = false;
        std::thread([&] { later = is_blocked(number); }).join();
        CHECK(later);
    }
}

// oneDNN's sgemm moves the stack pointer into a buffer on the heap while it sums over a long K; the
// frame of a handler would lie below it, over what others own.
TEST_CASE("notice: signals during matrix products overwrite nothing") {
    const NoticeSignals signals;
    constexpr int64_t kRows = 32, kColumns = 16, kLength = 1000;
    std::atomic<bool> ends{false};
    std::thread sender([&] {
        while (!ends) send(SIGUSR1);
    });
    const std::vector<float> a(kRows * kLength, 0.5F), b(kLength * kColumns, 2.0F);
    std::vector<float> c(kRows * kColumns);
    kernels::MatmulArgs args;
    args.m = kRows;
    args.n = kColumns;
    args.k = args.lda = kLength;
    args.ldb = args.ldc = kColumns;
    args.a = a.data();
    args.b = b.data();
    args.c = c.data();
    bool is_right = true;
    for (int i = 0; i < 20000; ++i) {
        std::vector<std::vector<std::byte>> around;  // blocks that come and go beside the buffer
        for (size_t bytes = 64; bytes <= 4096; bytes *= 2) around.emplace_back(bytes);
        kernels::Stream stream = kernels::Stream::cpu();
        kernels::cpu::matmul(stream, args);
        for (const float sum : c) is_right = is_right && sum == static_cast<float>(kLength);
        for (const auto& block : around) {
            for (const std::byte byte : block) is_right = is_right && byte == std::byte{0};
        }
    }
    ends = true;
    sender.join();
    CHECK(is_right);
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
