// SPDX-License-Identifier: BSD-3-Clause
#include "tests/gpu/host_cuda/scheduler.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "tests/gpu/host_cuda/guarded_memory.h"
#include "tests/gpu/host_cuda/sanitizer.h"
#include "tests/gpu/host_cuda/segv_report.h"
#include "tests/gpu/host_cuda/shared_memory.h"
#include "tests/gpu/host_cuda/thread.h"

namespace longhaul::host_cuda {

namespace {

constexpr unsigned kWarpSize = 32;
constexpr unsigned kMaxThreads = 1024;
constexpr unsigned kMaxWarps = kMaxThreads / kWarpSize;
constexpr size_t kMaxSharedBytes = 227 * 1024;  // compute capability 9.0

Schedule chosen_schedule = Schedule::kForward;
unsigned chosen_seed = 1;

/// Stacks are costly to make and are kept for all grids of the process.
std::vector<std::unique_ptr<Thread>>& thread_pool() {
    static std::vector<std::unique_ptr<Thread>> pool;
    return pool;
}

/// An object for sanitizer::release and acquire that is new at each use: one for all would also
/// order what a missing second barrier leaves unordered.
class OrderObject {
 public:
    void* current() { return &slot_[generation_ % 4]; }
    void advance() { ++generation_; }

 private:
    char slot_[4] = {};
    unsigned generation_ = 0;
};

struct Warp {
    uint32_t live = 0;         // lanes that have not exited
    unsigned num_waiting = 0;  // lanes inside a warp operation
    OrderObject sync;
};

class Grid {
 public:
    Grid(const char* kernel, const GridShape& shape, const std::function<void()>& body);
    void run();

    void* shared() const { return shared_.data(); }
    Thread& current() { return *current_; }
    const GridShape& shape() const { return shape_; }
    Index block() const { return block_; }

    int barrier(BarrierKind kind, bool predicate, const std::source_location& place);
    void warp_operation(WarpOperation operation, uint32_t mask, void* payload,
                        WarpFunction function, const std::source_location& place);
    /// Called on the fiber: the scheduler ends the grid.
    void fault(const std::string& what);
    /// The body of a fiber.
    void run_thread();
    std::string describe(const std::string& what) const;

 private:
    std::vector<unsigned> make_order(unsigned count, std::mt19937& random) const;
    void run_block();
    void start_threads();
    void resume(Thread& thread);
    void return_to_scheduler(bool thread_ends);
    void complete_barrier();
    void try_complete(Thread& leader);
    uint32_t lanes_with(const Thread& leader, void** payloads) const;
    Thread& thread(unsigned linear) const { return *thread_pool()[linear]; }

    const char* kernel_;
    GridShape shape_;
    const std::function<void()>& body_;
    unsigned num_threads_;
    std::vector<unsigned> thread_order_, block_order_;
    SharedMemory shared_;
    Index block_{0, 0, 0};
    Thread* current_ = nullptr;
    Context scheduler_context_;
    sanitizer::Stack scheduler_stack_;
    std::exception_ptr error_;

    unsigned num_exited_ = 0, num_at_barrier_ = 0;
    Warp warps_[kMaxWarps];
    OrderObject barrier_order_;
    // Separate objects: a thread that starts is not ordered after one that has ended.
    char block_start_ = 0, block_end_ = 0;
    char parked_ = 0;  // acquired only when the grid is given up
    int barrier_result_[4] = {};
};

Grid* running = nullptr;

void fiber_entry() {
    running->run_thread();
}

Grid::Grid(const char* kernel, const GridShape& shape, const std::function<void()>& body)
    : kernel_(kernel),
      shape_(shape),
      body_(body),
      num_threads_(shape.block.count()),
      shared_(shape.shared_bytes) {
    if (num_threads_ == 0 || num_threads_ > kMaxThreads || shape.grid.count() == 0 ||
        shape.shared_bytes > kMaxSharedBytes) {
        throw KernelFault(std::string(kernel) +
                          ": invalid launch: " + std::to_string(shape.grid.count()) +
                          " blocks of " + std::to_string(num_threads_) + " threads with " +
                          std::to_string(shape.shared_bytes) + " bytes of shared memory");
    }
    std::mt19937 random(chosen_seed);
    thread_order_ = make_order(num_threads_, random);
    block_order_ = make_order(shape.grid.count(), random);
    while (thread_pool().size() < num_threads_) {
        thread_pool().push_back(std::make_unique<Thread>());
    }
    sanitizer::attach_scheduler(scheduler_stack_);
}

std::vector<unsigned> Grid::make_order(unsigned count, std::mt19937& random) const {
    std::vector<unsigned> order(count);
    std::iota(order.begin(), order.end(), 0u);
    if (chosen_schedule == Schedule::kReverse) std::reverse(order.begin(), order.end());
    if (chosen_schedule == Schedule::kShuffled) std::shuffle(order.begin(), order.end(), random);
    return order;
}

void Grid::run() {
    const SegvReport report(kernel_, shared_.guarded());
    struct GiveUp {  // whoever frees the kernel's arguments comes after all that its threads did
        void* parked;
        ~GiveUp() {
            if (std::uncaught_exceptions() > 0) sanitizer::acquire(parked);
        }
    } const give_up{&parked_};
    for (const unsigned linear : block_order_) {
        block_ = {linear % shape_.grid.x, linear / shape_.grid.x % shape_.grid.y,
                  linear / (shape_.grid.x * shape_.grid.y)};
        shared_.fill_with_nan();
        start_threads();
        sanitizer::release(&block_start_);
        run_block();
        sanitizer::acquire(&block_end_);
    }
}

void Grid::start_threads() {
    num_exited_ = num_at_barrier_ = 0;
    for (unsigned warp = 0; warp < kMaxWarps; ++warp) {
        const unsigned first = warp * kWarpSize;
        const unsigned lanes = num_threads_ > first ? std::min(num_threads_ - first, 32u) : 0;
        warps_[warp].live = lanes == 32 ? ~0u : (1u << lanes) - 1;
        warps_[warp].num_waiting = 0;
    }
    for (unsigned i = 0; i < num_threads_; ++i) {
        thread(i).start(i, shape_.block, fiber_entry);
    }
}

void Grid::run_block() {
    while (num_exited_ < num_threads_) {
        bool has_run = false;
        for (const unsigned linear : thread_order_) {
            if (thread(linear).state != ThreadState::kReady) continue;
            resume(thread(linear));
            has_run = true;
            if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
        }
        if (num_at_barrier_ > 0 && num_at_barrier_ == num_threads_ - num_exited_) {
            complete_barrier();
        } else if (!has_run) {
            throw KernelFault(describe("deadlock: a barrier or warp operation waits for ever"));
        }
    }
}

void Grid::resume(Thread& thread) {
    current_ = &thread;
    sanitizer::leave(scheduler_stack_, thread.stack, false);
    scheduler_context_.switch_to(thread.context);
    sanitizer::arrive(scheduler_stack_, thread.stack);
}

void Grid::return_to_scheduler(bool thread_ends) {
    Thread& self = *current_;
    sanitizer::release(&parked_);
    sanitizer::leave(self.stack, scheduler_stack_, thread_ends);
    self.context.switch_to(scheduler_context_);
    sanitizer::arrive(self.stack, scheduler_stack_);
}

void Grid::run_thread() {
    sanitizer::arrive(current_->stack, scheduler_stack_);
    sanitizer::acquire(&block_start_);
    try {
        body_();
    } catch (...) {
        error_ = std::current_exception();
    }
    sanitizer::release(&block_end_);
    Thread& self = *current_;
    self.state = ThreadState::kExited;
    ++num_exited_;
    warps_[self.warp()].live &= ~(1u << self.lane());
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {  // others may have waited for us alone
        const unsigned other = self.warp() * kWarpSize + lane;
        if (other < num_threads_ && thread(other).state == ThreadState::kInWarpOperation) {
            try_complete(thread(other));
        }
    }
    return_to_scheduler(true);
}

void Grid::fault(const std::string& what) {
    error_ = std::make_exception_ptr(KernelFault(describe(what)));
    return_to_scheduler(false);
}

int Grid::barrier(BarrierKind kind, bool predicate, const std::source_location& place) {
    Thread& self = *current_;
    self.state = ThreadState::kAtBarrier;
    self.place = place;
    self.kind = static_cast<int>(kind);
    self.predicate = predicate;
    ++num_at_barrier_;
    void* const order = barrier_order_.current();
    sanitizer::release(order);
    return_to_scheduler(false);
    sanitizer::acquire(order);
    return barrier_result_[static_cast<int>(kind)];
}

void Grid::complete_barrier() {
    if (num_exited_ > 0) {
        throw KernelFault(describe("threads exited before a barrier that others wait at"));
    }
    const Thread& first = thread(0);
    int count = 0;
    for (unsigned i = 0; i < num_threads_; ++i) {
        if (!thread(i).waits_where(first)) {
            throw KernelFault(describe("divergent barrier: threads wait at different places"));
        }
        count += thread(i).predicate ? 1 : 0;
        thread(i).state = ThreadState::kReady;
    }
    barrier_result_[static_cast<int>(BarrierKind::kOr)] = count > 0;
    barrier_result_[static_cast<int>(BarrierKind::kAnd)] = count == static_cast<int>(num_threads_);
    barrier_result_[static_cast<int>(BarrierKind::kCount)] = count;
    num_at_barrier_ = 0;
    barrier_order_.advance();
}

void Grid::warp_operation(WarpOperation operation, uint32_t mask, void* payload,
                          WarpFunction function, const std::source_location& place) {
    Thread& self = *current_;
    self.place = place;
    self.mask = mask;
    if ((mask >> self.lane() & 1u) == 0) fault("a lane is not in the mask of its warp operation");
    self.kind = static_cast<int>(operation);
    self.payload = payload;
    self.function = function;
    self.state = ThreadState::kInWarpOperation;
    Warp& warp = warps_[self.warp()];
    ++warp.num_waiting;
    void* const order = warp.sync.current();
    // __syncwarp orders memory; shuffles and votes do not.
    const bool orders_memory = operation == WarpOperation::kSync;
    if (orders_memory) sanitizer::release(order);
    try_complete(self);
    if (self.state == ThreadState::kInWarpOperation) return_to_scheduler(false);
    if (orders_memory) sanitizer::acquire(order);
}

uint32_t Grid::lanes_with(const Thread& leader, void** payloads) const {
    uint32_t lanes = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const unsigned linear = leader.warp() * kWarpSize + lane;
        if ((leader.mask >> lane & 1u) == 0 || linear >= num_threads_) continue;
        const Thread& other = thread(linear);
        if (other.state != ThreadState::kInWarpOperation || other.mask != leader.mask ||
            other.kind != leader.kind) {
            continue;
        }
        lanes |= 1u << lane;
        payloads[lane] = other.payload;
    }
    return lanes;
}

void Grid::try_complete(Thread& leader) {
    Warp& warp = warps_[leader.warp()];
    const uint32_t needed = leader.mask & warp.live;
    if (warp.num_waiting < static_cast<unsigned>(std::popcount(needed))) return;
    void* payloads[kWarpSize] = {};
    if (lanes_with(leader, payloads) != needed) return;
    leader.function(payloads, needed);
    warp.num_waiting -= static_cast<unsigned>(std::popcount(needed));
    if (leader.kind == static_cast<int>(WarpOperation::kSync)) warp.sync.advance();
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if ((needed >> lane & 1u) != 0) {
            thread(leader.warp() * kWarpSize + lane).state = ThreadState::kReady;
        }
    }
}

std::string Grid::describe(const std::string& what) const {
    std::string text = std::string(kernel_) + ": " + what + ", block (" + std::to_string(block_.x) +
                       "," + std::to_string(block_.y) + "," + std::to_string(block_.z) + ")";
    constexpr int kMaxLines = 12;
    int num_lines = 0;
    const Thread* previous = nullptr;
    for (unsigned i = 0; i < num_threads_ && num_lines < kMaxLines; ++i) {
        const Thread& each = thread(i);
        if (previous != nullptr && each.is_like(*previous)) continue;
        text += "\n  from thread " + each.describe();
        previous = &each;
        ++num_lines;
    }
    return text;
}

}  // namespace

void set_schedule(Schedule schedule, unsigned seed) {
    chosen_schedule = schedule;
    chosen_seed = seed;
}

void run_grid(const char* kernel, const GridShape& shape, const std::function<void()>& body) {
    Grid grid(kernel, shape, body);
    running = &grid;
    struct Reset {
        ~Reset() { running = nullptr; }
    } const reset;
    grid.run();
}

Index thread_index() {
    return running->current().index;
}
Index block_index() {
    return running->block();
}
Index block_shape() {
    return running->shape().block;
}
Index grid_shape() {
    return running->shape().grid;
}
int lane() {
    return static_cast<int>(running->current().lane());
}
void* dynamic_shared() {
    return running->shared();
}

void fault(const std::string& what, const std::source_location& place) {
    running->fault(what + " at " + place.file_name() + ":" + std::to_string(place.line()));
}

int barrier(BarrierKind kind, bool predicate, const std::source_location& place) {
    return running->barrier(kind, predicate, place);
}

void warp_operation(WarpOperation operation, uint32_t mask, void* payload, WarpFunction function,
                    const std::source_location& place) {
    running->warp_operation(operation, mask, payload, function, place);
}

}  // namespace longhaul::host_cuda
