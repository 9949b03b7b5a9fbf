// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What AddressSanitizer and ThreadSanitizer must be told about fibers. The build picks one of
// sanitizer_{none,address,thread}.cpp; the emulator's own files are never instrumented themselves.

#include <cstddef>

namespace longhaul::host_cuda::sanitizer {

/// One stack as the sanitizer knows it.
struct Stack {
    const void* bottom = nullptr;
    size_t bytes = 0;
    void* fake_stack = nullptr;  // AddressSanitizer
    void* fiber = nullptr;       // ThreadSanitizer
};

/// The stack of the scheduler, which calls this.
void attach_scheduler(Stack& stack);
/// A stack on which a new CUDA thread is about to start.
void attach(Stack& stack);
void detach(Stack& stack);

/// Called on `from` right before, and on `to` right after a switch.
void leave(Stack& from, const Stack& to, bool from_ends);
void arrive(const Stack& to, Stack& from);

/// Happens-before edges: what was done before release(object) is ordered before acquire(object). A
/// switch between fibers alone orders nothing, as CUDA threads are not ordered by running.
void release(void* object);
void acquire(void* object);

/// Whether dynamic shared memory comes from the heap, where the sanitizer guards both ends.
bool guards_heap();

}  // namespace longhaul::host_cuda::sanitizer
