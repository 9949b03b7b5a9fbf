// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One CUDA thread: its place in the block, what it waits for, and the fiber that runs it.

#include <cstdint>
#include <source_location>
#include <string>

#include "tests/gpu/host_cuda/context.h"
#include "tests/gpu/host_cuda/guarded_memory.h"
#include "tests/gpu/host_cuda/sanitizer.h"
#include "tests/gpu/host_cuda/scheduler.h"

namespace longhaul::host_cuda {

enum class ThreadState { kReady, kAtBarrier, kInWarpOperation, kExited };

struct Thread {
    Thread();
    ~Thread();
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;

    /// Makes this the thread `linear` of a block, ready to run `entry` from its start.
    void start(unsigned linear, const Index& block_shape, void (*entry)());

    unsigned warp() const { return linear / 32; }
    unsigned lane() const { return linear % 32; }
    /// At the same barrier of the same kind.
    bool waits_where(const Thread& other) const;
    /// Whether one line of a report can stand for both.
    bool is_like(const Thread& other) const;
    /// "32 (32,0,0): at a barrier, kernels/cuda/reduce.cuh:52".
    std::string describe() const;

    unsigned linear = 0;
    Index index;
    ThreadState state = ThreadState::kExited;
    // What it waits for: a barrier of `kind`, or a warp operation of `kind` with `mask`.
    std::source_location place;
    int kind = 0;
    bool predicate = false;
    uint32_t mask = 0;
    void* payload = nullptr;
    WarpFunction function = nullptr;

    GuardedMemory memory;
    sanitizer::Stack stack;
    Context context;
};

}  // namespace longhaul::host_cuda
