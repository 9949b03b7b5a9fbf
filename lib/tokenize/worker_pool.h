// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// N worker threads that serve several lanes at once. A lane belongs to one thread that hands in
// jobs and gets their results in the order of the jobs; what is under way in all lanes is bounded.

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

#include "lib/io/task_queue.h"

namespace longhaul::tokenize {

/// Thread-safe; must outlive its lanes.
template <class Job, class Result>
class WorkerPool {
 public:
    /// One per thread: turns a job into a result.
    using Work = std::function<Result(Job& job)>;
    class Lane;

    /// @param make_work called once for each worker, in this thread.
    /// @param max_cost of all jobs under way; a single dearer job still passes, alone.
    WorkerPool(int num_threads, uint64_t max_cost, const std::function<Work()>& make_work)
        : max_cost_(max_cost), tasks_(static_cast<size_t>(num_threads)) {
        tasks_.set_listener([this] {
            { const std::lock_guard lock(mutex_); }  // none is between looking and waiting
            has_work_.notify_one();
        });
        for (int i = 0; i < num_threads; ++i) {
            threads_.emplace_back([this, work = make_work()] { run(work); });
        }
    }
    ~WorkerPool() {
        {
            const std::lock_guard lock(mutex_);
            stops_ = true;
        }
        has_work_.notify_all();
    }
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    /// Done by the workers before any job: what a lane's thread waits for.
    io::TaskQueue& tasks() { return tasks_; }

 private:
    struct Item {
        Item(Job the_job, uint64_t the_cost, Lane* the_lane)
            : job(std::move(the_job)), cost(the_cost), lane(the_lane) {}
        Job job;
        uint64_t cost;
        Lane* lane;
        Result result{};
        std::exception_ptr error;
        bool is_done = false;
    };

    bool has_room(uint64_t cost) const { return cost_ == 0 || cost_ + cost <= max_cost_; }
    void give_room(uint64_t cost) {
        {
            const std::lock_guard lock(mutex_);
            cost_ -= cost;
        }
        has_room_.notify_all();
    }

    void run(const Work& work) {
        std::unique_lock lock(mutex_);
        for (;;) {
            has_work_.wait(lock, [this] { return stops_ || !todo_.empty() || !tasks_.is_empty(); });
            if (stops_) return;
            if (!tasks_.is_empty()) {
                lock.unlock();
                tasks_.run_one();
                lock.lock();
                continue;
            }
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
            item->lane->has_result_.notify_one();
        }
    }

    uint64_t max_cost_, cost_ = 0;
    std::mutex mutex_;
    std::condition_variable has_work_, has_room_;
    std::deque<Item*> todo_;  // not yet taken by a worker
    bool stops_ = false;
    io::TaskQueue tasks_;
    std::vector<std::jthread> threads_;  // last: joined before the rest goes
};

/// Used from one thread. An exception of a worker is rethrown by submit() or finish() at the place
/// of its job in the order.
template <class Job, class Result>
class WorkerPool<Job, Result>::Lane {
 public:
    /// @param max_jobs under way in this lane
    Lane(WorkerPool& pool, std::function<void(Result& result)> consume,
         size_t max_jobs = std::numeric_limits<size_t>::max())
        : pool_(pool), consume_(std::move(consume)), max_jobs_(max_jobs) {}
    /// Drops what is not done.
    ~Lane() {
        uint64_t cost = 0;
        {
            std::unique_lock lock(pool_.mutex_);
            for (const auto& item : items_) {
                cost += item->cost;
                if (std::erase(pool_.todo_, item.get()) > 0) item->is_done = true;
            }
            has_result_.wait(lock, [this] {
                for (const auto& item : items_) {
                    if (!item->is_done) return false;
                }
                return true;
            });
        }
        pool_.give_room(cost);
    }
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    /// Hands in a job; consumes finished results, and waits for some when too much is under way.
    void submit(Job job, uint64_t cost) {
        make_room(cost);
        items_.push_back(std::make_unique<Item>(std::move(job), cost, this));
        {
            const std::lock_guard lock(pool_.mutex_);
            pool_.todo_.push_back(items_.back().get());
        }
        pool_.has_work_.notify_one();
        while (!items_.empty() && is_front_done()) consume_front();
    }
    /// Waits for all jobs and consumes their results.
    void finish() {
        while (!items_.empty()) consume_front();
    }

 private:
    friend class WorkerPool;

    /// A lane waits for others only when nothing of its own is under way, so that some lane can
    /// always go on.
    void make_room(uint64_t cost) {
        for (;;) {
            while (items_.size() >= max_jobs_) consume_front();
            {
                std::unique_lock lock(pool_.mutex_);
                if (items_.empty()) {
                    pool_.has_room_.wait(lock, [&] { return pool_.has_room(cost); });
                }
                if (pool_.has_room(cost)) {
                    pool_.cost_ += cost;
                    return;
                }
            }
            consume_front();
        }
    }
    bool is_front_done() {
        const std::lock_guard lock(pool_.mutex_);
        return items_.front()->is_done;
    }
    void consume_front() {
        {
            std::unique_lock lock(pool_.mutex_);
            has_result_.wait(lock, [this] { return items_.front()->is_done; });
        }
        const std::unique_ptr<Item> item = std::move(items_.front());
        items_.pop_front();
        pool_.give_room(item->cost);
        if (item->error) std::rethrow_exception(item->error);
        consume_(item->result);
    }

    WorkerPool& pool_;
    std::function<void(Result&)> consume_;
    size_t max_jobs_;
    std::condition_variable has_result_;
    std::deque<std::unique_ptr<Item>> items_;  // in order
};

}  // namespace longhaul::tokenize
