// SPDX-License-Identifier: BSD-3-Clause
#include "tests/gpu/host_cuda/thread.h"

#include <cstring>

namespace longhaul::host_cuda {

namespace {

constexpr size_t kStackBytes = 256 * 1024;
// Stacks that all begin at the same offset in a page compete for the same cache lines.
constexpr size_t kColourBytes = 192, kNumColours = 64;

bool is_same_place(const std::source_location& a, const std::source_location& b) {
    return a.line() == b.line() && std::strcmp(a.file_name(), b.file_name()) == 0;
}

const char* name_of(ThreadState state) {
    switch (state) {
        case ThreadState::kReady:
            return "runnable";
        case ThreadState::kAtBarrier:
            return "at a barrier";
        case ThreadState::kInWarpOperation:
            return "in a warp operation";
        case ThreadState::kExited:
            return "exited";
    }
    return "?";
}

}  // namespace

Thread::Thread() : memory(kStackBytes + kColourBytes * kNumColours) {}

Thread::~Thread() {
    sanitizer::detach(stack);
}

void Thread::start(unsigned linear_index, const Index& block_shape, void (*entry)()) {
    linear = linear_index;
    index = {linear % block_shape.x, linear / block_shape.x % block_shape.y,
             linear / (block_shape.x * block_shape.y)};
    state = ThreadState::kReady;
    place = {};
    mask = 0;
    stack.bottom = memory.data();
    stack.bytes = memory.size() - linear % kNumColours * kColourBytes;
    sanitizer::attach(stack);
    context.prepare(memory.data(), stack.bytes, entry);
}

bool Thread::waits_where(const Thread& other) const {
    return kind == other.kind && is_same_place(place, other.place);
}

bool Thread::is_like(const Thread& other) const {
    return state == other.state && mask == other.mask && waits_where(other);
}

std::string Thread::describe() const {
    std::string text = std::to_string(linear) + " (" + std::to_string(index.x) + "," +
                       std::to_string(index.y) + "," + std::to_string(index.z) +
                       "): " + name_of(state);
    if (state == ThreadState::kAtBarrier || state == ThreadState::kInWarpOperation) {
        text += std::string(", ") + place.file_name() + ":" + std::to_string(place.line());
    }
    if (state == ThreadState::kInWarpOperation) {
        char hex[16];
        std::snprintf(hex, sizeof hex, "%08x", mask);
        text += std::string(", mask ") + hex;
    }
    return text;
}

}  // namespace longhaul::host_cuda
