// SPDX-License-Identifier: BSD-3-Clause
#include "tests/gpu/host_cuda/sanitizer.h"

// The fiber interface of ThreadSanitizer (compiler-rt, tsan_interface.h); GCC ships no header for
// it.
extern "C" {
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}

namespace longhaul::host_cuda::sanitizer {

namespace {
constexpr unsigned kNoSync = 1;  // a switch does not order memory
}

void attach_scheduler(Stack& stack) {
    stack.fiber = __tsan_get_current_fiber();
}

void attach(Stack& stack) {
    if (stack.fiber == nullptr) stack.fiber = __tsan_create_fiber(0);
}

void detach(Stack& stack) {
    if (stack.fiber != nullptr) __tsan_destroy_fiber(stack.fiber);
    stack.fiber = nullptr;
}

void leave(Stack&, const Stack& to, bool) {
    __tsan_switch_to_fiber(to.fiber, kNoSync);
}
void arrive(const Stack&, Stack&) {}
void release(void* object) {
    __tsan_release(object);
}
void acquire(void* object) {
    __tsan_acquire(object);
}
bool guards_heap() {
    return false;
}

}  // namespace longhaul::host_cuda::sanitizer
