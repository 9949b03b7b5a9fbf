// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Small pieces of work that any thread with time may do: the packing of output frames. Whoever adds
// a task must be able to do it himself, so nothing depends on others having time.

#include <deque>
#include <functional>
#include <mutex>
#include <utility>

namespace longhaul::io {

/// Thread-safe.
class TaskQueue {
 public:
    using Task = std::function<void()>;

    /// @param num_threads that will look for tasks
    explicit TaskQueue(size_t num_threads) : num_threads_(num_threads) {}

    size_t num_threads() const { return num_threads_; }
    /// @param task must not throw
    void add(Task task) {
        std::function<void()> on_added;
        {
            const std::lock_guard lock(mutex_);
            tasks_.push_back(std::move(task));
            on_added = on_added_;
        }
        if (on_added) on_added();  // without the lock: the listener has one of his own
    }
    bool is_empty() const {
        const std::lock_guard lock(mutex_);
        return tasks_.empty();
    }
    /// Does one task, if there is one.
    void run_one() {
        Task task;
        {
            const std::lock_guard lock(mutex_);
            if (tasks_.empty()) return;
            task = std::move(tasks_.front());
            tasks_.pop_front();
        }
        task();
    }
    /// @param on_added called after every add(), in the adding thread; empty: nobody listens
    void set_listener(std::function<void()> on_added) {
        const std::lock_guard lock(mutex_);
        on_added_ = std::move(on_added);
    }

 private:
    size_t num_threads_;
    mutable std::mutex mutex_;
    std::deque<Task> tasks_;
    std::function<void()> on_added_;
};

}  // namespace longhaul::io
