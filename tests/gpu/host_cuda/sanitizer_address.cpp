// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <sanitizer/common_interface_defs.h>

#include "tests/gpu/host_cuda/sanitizer.h"

// Declared here because asan_interface.h makes it an empty macro in files that are not
// instrumented.
extern "C" void __asan_unpoison_memory_region(const volatile void* address, size_t bytes);

namespace longhaul::host_cuda::sanitizer {

void attach_scheduler(Stack&) {}

void attach(Stack& stack) {
    // Frames of the thread that used this stack before are gone; their red zones must go too.
    __asan_unpoison_memory_region(stack.bottom, stack.bytes);
    stack.fake_stack = nullptr;
}

void detach(Stack&) {}

void leave(Stack& from, const Stack& to, bool from_ends) {
    __sanitizer_start_switch_fiber(from_ends ? nullptr : &from.fake_stack, to.bottom, to.bytes);
}

void arrive(const Stack& to, Stack& from) {
    __sanitizer_finish_switch_fiber(to.fake_stack, &from.bottom, &from.bytes);
}

void release(void*) {}
void acquire(void*) {}
bool guards_heap() {
    return true;
}

}  // namespace longhaul::host_cuda::sanitizer
