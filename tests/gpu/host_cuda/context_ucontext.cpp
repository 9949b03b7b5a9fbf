// SPDX-License-Identifier: BSD-3-Clause
#include <ucontext.h>

#include "tests/gpu/host_cuda/context.h"

namespace longhaul::host_cuda {

struct Context::Registers {
    ucontext_t value{};
};

Context::Context() : registers_(std::make_unique<Registers>()) {}
Context::~Context() = default;

void Context::prepare(void* stack_bottom, size_t stack_bytes, void (*entry)()) {
    getcontext(&registers_->value);
    registers_->value.uc_stack.ss_sp = stack_bottom;
    registers_->value.uc_stack.ss_size = stack_bytes;
    registers_->value.uc_link = nullptr;
    makecontext(&registers_->value, entry, 0);
}

void Context::switch_to(Context& next) {
    swapcontext(&registers_->value, &next.registers_->value);
}

}  // namespace longhaul::host_cuda
