// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Names the kernel when an access hits the guard page of dynamic shared memory.

#include <csignal>

#include "tests/gpu/host_cuda/guarded_memory.h"

namespace longhaul::host_cuda {

/// While it lives, SIGSEGV prints which kernel and thread left its dynamic shared memory, then the
/// program dies of the signal. Leaves signals alone under AddressSanitizer, which reports by
/// itself.
class SegvReport {
 public:
    /// @param shared may be null.
    SegvReport(const char* kernel, const GuardedMemory* shared);
    ~SegvReport();
    SegvReport(const SegvReport&) = delete;
    SegvReport& operator=(const SegvReport&) = delete;

 private:
    bool is_installed_ = false;
    struct sigaction old_action_ {};
    stack_t old_stack_{};
};

}  // namespace longhaul::host_cuda
