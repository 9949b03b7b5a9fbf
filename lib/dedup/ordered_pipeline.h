// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads items in one thread, works on them in many, and hands them on in the order of reading, with
// a bound on the bytes in flight. What comes out does not depend on the number of threads.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace longhaul::dedup {

template <class Item>
struct PipelineSteps {
    std::function<bool(Item&)> read;                 // false at the end; one thread, in order
    std::function<void(Item&, size_t worker)> work;  // any thread; worker < num_workers()
    std::function<void(Item&)> take;                 // the calling thread, in order
    std::function<uint64_t(const Item&)> bytes;      // of an item, for the bound
};

/// Runs the steps to the end. An exception of any step stops all and is thrown here.
template <class Item>
class OrderedPipeline {
 public:
    /// @param threads 1: everything in the calling thread; more: a reader and threads-1 workers.
    OrderedPipeline(int threads, uint64_t max_bytes_in_flight)
        : num_workers_(threads <= 1 ? 0 : static_cast<size_t>(threads) - 1),
          max_bytes_(max_bytes_in_flight) {}

    size_t num_workers() const { return num_workers_ == 0 ? 1 : num_workers_; }

    void run(const PipelineSteps<Item>& steps) {
        if (num_workers_ == 0) {
            for (Item item; steps.read(item); item = Item{}) {
                steps.work(item, 0);
                steps.take(item);
            }
            return;
        }
        std::vector<std::jthread> threads;
        threads.emplace_back([&] { guard([&] { read_all(steps); }); });
        for (size_t i = 0; i < num_workers_; ++i) {
            threads.emplace_back([&, i] { guard([&] { work_all(steps, i); }); });
        }
        guard([&] { take_all(steps); });
        threads.clear();  // joins
        if (error_) std::rethrow_exception(error_);
    }

 private:
    template <class Body>
    void guard(Body body) {
        try {
            body();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!error_) error_ = std::current_exception();
            changed_.notify_all();
        }
    }

    void read_all(const PipelineSteps<Item>& steps) {
        while (true) {
            auto item = std::make_unique<Item>();
            const bool has_item = steps.read(*item);
            std::unique_lock lock(mutex_);
            if (!has_item) {
                is_read_ = true;
                changed_.notify_all();
                return;
            }
            const uint64_t bytes = steps.bytes(*item);
            // One item alone may exceed the bound: a giant line must pass too.
            changed_.wait(lock, [&] {
                return error_ || in_flight_bytes_ == 0 || in_flight_bytes_ + bytes <= max_bytes_;
            });
            if (error_) return;
            in_flight_bytes_ += bytes;
            waiting_.push_back({next_read_++, bytes, std::move(item)});
            changed_.notify_all();
        }
    }

    void work_all(const PipelineSteps<Item>& steps, size_t worker) {
        while (true) {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return error_ || !waiting_.empty() || is_read_; });
            if (error_ || waiting_.empty()) return;
            Entry entry = std::move(waiting_.front());
            waiting_.pop_front();
            lock.unlock();
            steps.work(*entry.item, worker);
            lock.lock();
            const uint64_t number = entry.number;
            done_.emplace(number, std::move(entry));
            changed_.notify_all();
        }
    }

    void take_all(const PipelineSteps<Item>& steps) {
        for (uint64_t number = 0;; ++number) {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] {
                return error_ || done_.contains(number) || (is_read_ && number == next_read_);
            });
            if (error_ || !done_.contains(number)) return;
            Entry entry = std::move(done_.extract(number).mapped());
            lock.unlock();
            steps.take(*entry.item);
            entry.item.reset();
            lock.lock();
            in_flight_bytes_ -= entry.bytes;
            changed_.notify_all();
        }
    }

    struct Entry {
        uint64_t number = 0;
        uint64_t bytes = 0;
        std::unique_ptr<Item> item;
    };

    size_t num_workers_;
    uint64_t max_bytes_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Entry> waiting_;
    std::map<uint64_t, Entry> done_;
    uint64_t next_read_ = 0;
    uint64_t in_flight_bytes_ = 0;
    bool is_read_ = false;
    std::exception_ptr error_;
};

}  // namespace longhaul::dedup
