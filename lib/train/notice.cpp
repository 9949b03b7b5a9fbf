// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/notice.h"

#include <csignal>

#include <array>
#include <atomic>

namespace longhaul::train {

namespace {

constexpr std::array<int, 4> kSignals = {SIGTERM, SIGUSR1, SIGUSR2, SIGINT};

// The one mutable global of train-run: a signal handler has nothing else.
std::atomic<int> received_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);
std::array<struct sigaction, kSignals.size()> old_actions;

void on_signal(int number) {
    int expected = 0;
    const bool is_first = received_signal.compare_exchange_strong(expected, number);
    if (is_first || number != SIGINT) return;
    std::signal(SIGINT, SIG_DFL);  // the second ^C: the user means it
    std::raise(SIGINT);
}

}  // namespace

NoticeSignals::NoticeSignals() {
    received_signal = 0;
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &old_actions[i]);
}

NoticeSignals::~NoticeSignals() {
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &old_actions[i], nullptr);
}

int NoticeSignals::received() {
    return received_signal;
}

void NoticeSignals::set(int signal_number) {
    received_signal = signal_number;
}

}  // namespace longhaul::train
