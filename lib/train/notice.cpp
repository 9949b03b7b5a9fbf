// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/notice.h"

#include <pthread.h>

#include "lib/base/check.h"

namespace longhaul::train {

namespace {

// Of the process, as signals are.
std::atomic<int> received_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);

/// Also called by a handler.
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

bool is_ignored(int number) {
    struct sigaction now {};
    return sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

sigset_t notice_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGTERM, SIGUSR1, SIGUSR2, SIGINT}) sigaddset(&set, number);
    if (!is_ignored(SIGHUP)) sigaddset(&set, SIGHUP);
    return set;
}

/// For threads that do not block them.
void install_handlers(const sigset_t& signals) {
    struct sigaction action {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (int number = 1; number < NSIG; ++number) {
        if (sigismember(&signals, number) == 1) sigaction(number, &action, nullptr);
    }
}

}  // namespace

NoticeSignals::NoticeSignals() : signals_(notice_signals()) {
    received_signal = 0;
    std::signal(SIGPIPE, SIG_IGN);
    const int error = pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    LH_CHECK(error == 0, "pthread_sigmask: error {}", error);
    install_handlers(signals_);
    listener_ = std::thread([this] { listen(); });
}

NoticeSignals::~NoticeSignals() {
    ends_ = true;
    pthread_kill(listener_.native_handle(), SIGUSR1);  // to that thread alone
    listener_.join();
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

}  // namespace longhaul::train
