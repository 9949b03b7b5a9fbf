// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Runs a CUDA grid on one host thread: blocks one after another, the threads of a block as fibers
// that switch only at barriers and warp operations. Deterministic for a given schedule; a correct
// kernel gives the same bits in every schedule. Finds: barriers that not all threads reach or reach
// at different places, warp operations that wait for ever, lanes outside their own mask, threads
// that leave before a barrier, reads of dynamic shared memory before it is written (it is filled
// with NaN) or behind its end. Does not model: blocks that run at the same time, memory that other
// blocks see late.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <stdexcept>
#include <string>

namespace longhaul::host_cuda {

/// As CUDA's dim3 and uint3.
struct Index {
    unsigned x = 1, y = 1, z = 1;
    constexpr unsigned count() const { return x * y * z; }
};

/// A kernel broke a rule of CUDA. The text names the kernel, the block and where its threads wait.
class KernelFault : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

enum class Schedule { kForward, kReverse, kShuffled };
/// The order in which runnable threads and blocks take their turns, from the next grid on.
void set_schedule(Schedule schedule, unsigned seed = 1);

struct GridShape {
    Index grid;
    Index block;
    size_t shared_bytes = 0;
};

/// Runs `body` once for every thread of the grid. @throws KernelFault, or what `body` throws.
void run_grid(const char* kernel, const GridShape& shape, const std::function<void()>& body);

// What the running CUDA thread may ask.
Index thread_index();
Index block_index();
Index block_shape();
Index grid_shape();
int lane();
/// The block's dynamic shared memory: exactly as large as asked for.
void* dynamic_shared();
/// Ends the grid with a KernelFault.
void fault(const std::string& what, const std::source_location& place);

enum class BarrierKind { kPlain, kOr, kAnd, kCount };
/// __syncthreads and its kin. @return the or, and, or count of `predicate` over the block.
int barrier(BarrierKind kind, bool predicate, const std::source_location& place);

enum class WarpOperation { kSync, kShuffle, kVote, kMatrix };
/// Called once, when all live lanes of the mask have arrived, with their payloads (null for
/// others).
using WarpFunction = void (*)(void* const* payloads, uint32_t lanes);
void warp_operation(WarpOperation operation, uint32_t mask, void* payload, WarpFunction function,
                    const std::source_location& place);

}  // namespace longhaul::host_cuda
