// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// N worker threads between one producer that is also the consumer: jobs go in, results come out in
// the order of the jobs, and what is under way is bounded.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace longhaul::tokenize {

/// Used from one thread. An exception of a worker is rethrown by submit() or finish() at the place
/// of its job in the order.
template <class Job, class Result>
class OrderedWorkers {
 public:
    /// One per thread: turns a job into a result.
    using Work = std::function<Result(Job& job)>;

    /// @param make_work called once for each worker, in this thread.
    /// @param max_cost of all jobs under way; a single dearer job still passes, alone.
    /// @param max_jobs under way
    OrderedWorkers(int num_threads, uint64_t max_cost, const std::function<Work()>& make_work,
                   std::function<void(Result& result)> consume,
                   size_t max_jobs = std::numeric_limits<size_t>::max())
        : max_cost_(max_cost), max_jobs_(max_jobs), consume_(std::move(consume)) {
        for (int i = 0; i < num_threads; ++i) {
            threads_.emplace_back([this, work = make_work()] { run(work); });
        }
    }
    ~OrderedWorkers() {
        {
            const std::lock_guard lock(mutex_);
            stops_ = true;
        }
        has_work_.notify_all();
    }
    OrderedWorkers(const OrderedWorkers&) = delete;
    OrderedWorkers& operator=(const OrderedWorkers&) = delete;

    /// Hands in a job; consumes finished results, and waits for some when too much is under way.
    void submit(Job job, uint64_t cost) {
        while (!items_.empty() && (cost_ + cost > max_cost_ || items_.size() >= max_jobs_)) {
            consume_front();
        }
        {
            const std::lock_guard lock(mutex_);
            items_.push_back(std::make_unique<Item>(std::move(job), cost));
            todo_.push_back(items_.back().get());
        }
        cost_ += cost;
        has_work_.notify_one();
        while (!items_.empty() && is_front_done()) consume_front();
    }
    /// Waits for all jobs and consumes their results.
    void finish() {
        while (!items_.empty()) consume_front();
    }

 private:
    struct Item {
        Item(Job the_job, uint64_t the_cost) : job(std::move(the_job)), cost(the_cost) {}
        Job job;
        uint64_t cost;
        Result result{};
        std::exception_ptr error;
        bool is_done = false;
    };

    bool is_front_done() {
        const std::lock_guard lock(mutex_);
        return items_.front()->is_done;
    }
    void consume_front() {
        std::unique_ptr<Item> item;
        {
            std::unique_lock lock(mutex_);
            has_result_.wait(lock, [this] { return items_.front()->is_done; });
            item = std::move(items_.front());
            items_.pop_front();
        }
        cost_ -= item->cost;
        if (item->error) std::rethrow_exception(item->error);
        consume_(item->result);
    }
    void run(const Work& work) {
        for (;;) {
            std::unique_lock lock(mutex_);
            has_work_.wait(lock, [this] { return stops_ || !todo_.empty(); });
            if (stops_) return;
            Item* const item = todo_.front();
            todo_.pop_front();
            lock.unlock();
            try {
                item->result = work(item->job);
            } catch (...) {
                item->error = std::current_exception();
            }
            lock.lock();
            item->is_done = true;
            has_result_.notify_one();
        }
    }

    uint64_t max_cost_, cost_ = 0;
    size_t max_jobs_;
    std::function<void(Result&)> consume_;
    std::mutex mutex_;
    std::condition_variable has_work_, has_result_;
    std::deque<std::unique_ptr<Item>> items_;  // in order; popped by the producer only
    std::deque<Item*> todo_;                   // not yet taken by a worker
    bool stops_ = false;
    std::vector<std::jthread> threads_;  // last: joined before the rest goes
};

}  // namespace longhaul::tokenize
