// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/notice.h"

#include <pthread.h>

#include "lib/base/check.h"

namespace longhaul::train {

namespace {

// Of the process, as signals are.
std::atomic<int> received_signal{0};

void note(int number) {
    int expected = 0;
    const bool is_first = received_signal.compare_exchange_strong(expected, number);
    if (is_first || number != SIGINT) return;
    std::signal(SIGINT, SIG_DFL);  // the second ^C: the user means it
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_UNBLOCK, &interrupt, nullptr);
    std::raise(SIGINT);
}

}  // namespace

NoticeSignals::NoticeSignals() {
    received_signal = 0;
    sigemptyset(&signals_);
    for (const int number : {SIGTERM, SIGUSR1, SIGUSR2, SIGINT}) sigaddset(&signals_, number);
    const int error = pthread_sigmask(SIG_BLOCK, &signals_, &mask_before_);
    LH_CHECK(error == 0, "pthread_sigmask: error {}", error);
    listener_ = std::thread([this] { listen(); });
}

NoticeSignals::~NoticeSignals() {
    ends_ = true;
    pthread_kill(listener_.native_handle(), SIGUSR1);  // to that thread alone
    listener_.join();
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void NoticeSignals::listen() {
    for (;;) {
        int number = 0;
        if (sigwait(&signals_, &number) != 0) continue;
        if (ends_) return;
        note(number);
    }
}

int NoticeSignals::received() {
    return received_signal;
}

void NoticeSignals::set(int signal_number) {
    received_signal = signal_number;
}

}  // namespace longhaul::train
