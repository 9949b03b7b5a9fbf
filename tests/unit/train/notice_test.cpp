// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/notice.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <thread>
#include <vector>

#include "kernels/matmul.h"
#include "kernels/threads.h"

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

/// Takes those that are still to come from an earlier test.
void drain() {
    sigset_t all;
    sigfillset(&all);
    const timespec now{};
    while (sigtimedwait(&all, nullptr, &now) > 0) {
    }
}

TEST_CASE("notice: the first signal is remembered") {
    for (const int number : {SIGTERM, SIGUSR1, SIGUSR2, SIGINT, SIGHUP}) {
        CAPTURE(number);
        drain();
        const NoticeSignals signals;
        CHECK(NoticeSignals::received() == 0);
        send(number);
        CHECK(comes_true([] { return NoticeSignals::received() != 0; }));
        send(SIGUSR2);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        CHECK(NoticeSignals::received() == number);
    }
    drain();
}

TEST_CASE("notice: one that comes too late does not end the process") {
    { const NoticeSignals signals; }
    send(SIGTERM);
    send(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    drain();
}

TEST_CASE("notice: a reader of the log that has left ends nothing") {
    const NoticeSignals signals;
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    ::close(ends[0]);
    CHECK(::write(ends[1], "x", 1) == -1);
    CHECK(errno == EPIPE);
    ::close(ends[1]);
}

TEST_CASE("notice: no handler runs on a thread that computes") {
    const NoticeSignals signals;
    for (const int number : {SIGTERM, SIGUSR1, SIGUSR2, SIGINT, SIGHUP}) {
        CHECK(is_blocked(number));
        bool later = false;
        std::thread([&] { later = is_blocked(number); }).join();
        CHECK(later);
    }
}

TEST_CASE("notice: threads that do not block the signals set the flag too") {
    const NoticeSignals signals;
    std::thread([] {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_UNBLOCK, &all, nullptr);
        std::raise(SIGUSR2);
    }).join();
    CHECK(NoticeSignals::received() == SIGUSR2);
}

TEST_CASE("notice: HUP stays ignored where it was, as under nohup") {
    std::signal(SIGHUP, SIG_IGN);
    {
        const NoticeSignals signals;
        std::raise(SIGHUP);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        CHECK(NoticeSignals::received() == 0);
    }
    drain();
    std::signal(SIGHUP, SIG_DFL);
}

// oneDNN's sgemm moves the stack pointer into a buffer on the heap while it sums over a long K; the
// frame of a handler would lie below it, over what others own.
TEST_CASE("notice: signals during matrix products overwrite nothing") {
    const NoticeSignals signals;
    kernels::set_num_threads(2);  // begun here: they block the signals as well
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
    drain();
    CHECK(is_right);
}

}  // namespace
}  // namespace longhaul::train
