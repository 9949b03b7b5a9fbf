// SPDX-License-Identifier: BSD-3-Clause
#include "tests/gpu/host_cuda/context.h"

// Saves what a called function must preserve (System V ABI, x86-64, section 3.2.1) on the old stack
// and takes it from the new one. The control words of SSE and x87 are equal in all threads: not
// saved.
extern "C" void lh_host_cuda_switch(void** save_stack, void* load_stack);
asm(R"(
    .text
    .globl lh_host_cuda_switch
    .type lh_host_cuda_switch, @function
lh_host_cuda_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size lh_host_cuda_switch, .-lh_host_cuda_switch
)");

namespace longhaul::host_cuda {

struct Context::Registers {
    void* stack_pointer = nullptr;
};

Context::Context() : registers_(std::make_unique<Registers>()) {}
Context::~Context() = default;

void Context::prepare(void* stack_bottom, size_t stack_bytes, void (*entry)()) {
    constexpr int kSavedRegisters = 6;
    void** top = reinterpret_cast<void**>(static_cast<char*>(stack_bottom) + stack_bytes);
    *--top = nullptr;  // the return address of entry: keeps the stack aligned, ends back traces
    *--top = reinterpret_cast<void*>(entry);
    for (int i = 0; i < kSavedRegisters; ++i) *--top = nullptr;
    registers_->stack_pointer = top;
}

void Context::switch_to(Context& next) {
    lh_host_cuda_switch(&registers_->stack_pointer, next.registers_->stack_pointer);
}

}  // namespace longhaul::host_cuda
