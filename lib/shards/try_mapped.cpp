// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/try_mapped.h"

#include <atomic>
#include <csetjmp>
#include <csignal>

namespace longhaul::shards {

namespace {

#ifdef __SANITIZE_THREAD__
constexpr int kRestoresMask = 1;  // its handlers run with all signals blocked
#else
constexpr int kRestoresMask = 0;  // a system call less for each read
#endif

thread_local sigjmp_buf* volatile landing = nullptr;
struct sigaction previous {};

void on_bus_error(int signal_number, siginfo_t* info, void*) {
    sigjmp_buf* const here = landing;
    // One that another process sends, or the kernel for memory that nobody reads just now, has no
    // place where it failed.
    const bool has_place = info->si_code > 0 && info->si_code != BUS_MCEERR_AO;
    if (here != nullptr && has_place) siglongjmp(*here, 1);
    ::sigaction(SIGBUS, &previous, nullptr);
    if (!has_place) ::raise(signal_number);
    // Else the instruction that failed runs again, and meets the handler of before.
}

void install_handler() {
    static const bool is_installed = [] {
        struct sigaction action {};
        action.sa_sigaction = on_bus_error;
        action.sa_flags = SA_SIGINFO | SA_NODEFER;  // the jump does not restore the mask
        sigemptyset(&action.sa_mask);
        return ::sigaction(SIGBUS, &action, &previous) == 0;
    }();
    static_cast<void>(is_installed);
}

}  // namespace

bool try_mapped(void (*work)(void*), void* argument) {
    install_handler();
    sigjmp_buf here;
    if (sigsetjmp(here, kRestoresMask) != 0) {
        landing = nullptr;
        return false;
    }
    landing = &here;
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the work stays between the two
    work(argument);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    landing = nullptr;
    return true;
}

}  // namespace longhaul::shards
