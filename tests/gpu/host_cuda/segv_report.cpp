// SPDX-License-Identifier: BSD-3-Clause
#include "tests/gpu/host_cuda/segv_report.h"

#include <unistd.h>

#include <cstdio>

#include "tests/gpu/host_cuda/sanitizer.h"
#include "tests/gpu/host_cuda/scheduler.h"

namespace longhaul::host_cuda {

namespace {

const char* reported_kernel = nullptr;
const GuardedMemory* reported_shared = nullptr;
alignas(16) char signal_stack[64 * 1024];  // the faulting fiber's own stack may be full

void report(int signal, siginfo_t* info, void*) {
    if (reported_shared != nullptr && reported_shared->guards(info->si_addr)) {
        const Index thread = thread_index(), block = block_index();
        char text[512];
        const int size = std::snprintf(
            text, sizeof text,
            "%s: thread (%u,%u,%u) of block (%u,%u,%u) left its %zu bytes of dynamic shared memory "
            "at offset %td\n",
            reported_kernel, thread.x, thread.y, thread.z, block.x, block.y, block.z,
            reported_shared->size(),
            static_cast<char*>(info->si_addr) - static_cast<char*>(reported_shared->data()));
        [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, size);
    }
    std::signal(signal, SIG_DFL);  // the access is repeated and ends the program
}

}  // namespace

SegvReport::SegvReport(const char* kernel, const GuardedMemory* shared) {
    if (sanitizer::guards_heap()) return;
    reported_kernel = kernel;
    reported_shared = shared;
    stack_t stack{};
    stack.ss_sp = signal_stack;
    stack.ss_size = sizeof signal_stack;
    struct sigaction action {};
    action.sa_sigaction = report;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    is_installed_ =
        sigaltstack(&stack, &old_stack_) == 0 && sigaction(SIGSEGV, &action, &old_action_) == 0;
}

SegvReport::~SegvReport() {
    if (!is_installed_) return;
    sigaction(SIGSEGV, &old_action_, nullptr);
    sigaltstack(&old_stack_, nullptr);
}

}  // namespace longhaul::host_cuda
