// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads items from several streams, works on them in many threads, and hands them on in the order
// of the streams, with a bound on the bytes in flight. Every thread does whatever is most urgent,
// so none waits for another's kind of work. What comes out does not depend on the number of
// threads.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "lib/dedup/pipeline_schedule.h"

namespace longhaul::dedup {

template <class Item>
struct PipelineSteps {
    size_t num_streams = 1;
    /// The next item of a stream; any thread, but one at a time for each stream. Not called again
    /// after kEnd. may_grow: an item larger than the typical one may be read now.
    std::function<ReadResult(size_t stream, Item& item, bool may_grow)> read;
    /// In order, one thread at a time, before work; may be empty. With it, items of a stream are
    /// worked on only when all streams before have been read.
    std::function<void(Item&)> prepare;
    std::function<void(Item&, size_t worker)> work;  // any thread; worker < num_workers()
    std::function<void(Item&)> take;                 // in order, one thread at a time
    std::function<uint64_t(const Item&)>
        bytes;  // of an item, for the bound; asked again after work
};

/// Runs the steps to the end. The first exception in the order of the items stops all and is
/// thrown.
template <class Item>
class OrderedPipeline {
 public:
    /// @param threads in all; 1: everything in the calling thread
    /// @param max_bytes_in_flight of items between read and take. One item alone may exceed it.
    /// @param typical_bytes of an item that is about to be read
    OrderedPipeline(int threads, uint64_t max_bytes_in_flight, uint64_t typical_bytes)
        : num_workers_(threads <= 1 ? 1 : static_cast<size_t>(threads)),
          max_bytes_(max_bytes_in_flight),
          typical_bytes_(typical_bytes) {}

    size_t num_workers() const { return num_workers_; }

    /// @param tasks done by the same threads, before anything else; may be null
    void run(const PipelineSteps<Item>& steps, io::TaskQueue* tasks = nullptr) {
        PipelineSchedule schedule({steps.num_streams, num_workers_, max_bytes_, typical_bytes_,
                                   steps.prepare != nullptr, tasks});
        std::vector<std::jthread> threads;
        for (size_t i = 1; i < num_workers_; ++i) {
            threads.emplace_back([&, i] { loop(steps, schedule, tasks, i); });
        }
        loop(steps, schedule, tasks, 0);
        threads.clear();  // joins
        schedule.rethrow();
    }

 private:
    struct Holder : PipelineSchedule::Held {
        Item item;
    };
    static Item& item_of(PipelineSchedule::Entry& entry) {
        return static_cast<Holder&>(*entry.held).item;
    }

    void loop(const PipelineSteps<Item>& steps, PipelineSchedule& schedule, io::TaskQueue* tasks,
              size_t worker) {
        using Kind = PipelineSchedule::Kind;
        while (true) {
            const PipelineSchedule::Job job = schedule.next();
            try {
                switch (job.kind) {
                    case Kind::kStop:
                        return;
                    case Kind::kTask:
                        tasks->run_one();
                        break;
                    case Kind::kRead:
                        read(steps, schedule, job);
                        break;
                    case Kind::kPrepare:
                        steps.prepare(item_of(*job.entry));
                        schedule.prepared(*job.entry);
                        break;
                    case Kind::kWork:
                        steps.work(item_of(*job.entry), worker);
                        schedule.worked(*job.entry, steps.bytes(item_of(*job.entry)));
                        break;
                    case Kind::kTake:
                        steps.take(item_of(*job.entry));
                        schedule.taken(*job.entry);
                        break;
                }
            } catch (...) {
                schedule.failed(job, std::current_exception());
            }
        }
    }

    void read(const PipelineSteps<Item>& steps, PipelineSchedule& schedule,
              const PipelineSchedule::Job& job) {
        auto holder = std::make_unique<Holder>();
        switch (steps.read(job.stream, holder->item, job.may_grow)) {
            case ReadResult::kItem: {
                const uint64_t bytes = steps.bytes(holder->item);
                schedule.read_item(job.stream, std::move(holder), bytes);
                break;
            }
            case ReadResult::kEnd:
                schedule.read_end(job.stream);
                break;
            case ReadResult::kSuspended:
                schedule.read_suspended(job.stream);
                break;
        }
    }

    size_t num_workers_;
    uint64_t max_bytes_;
    uint64_t typical_bytes_;
};

}  // namespace longhaul::dedup
