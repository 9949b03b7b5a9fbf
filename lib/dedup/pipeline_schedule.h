// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the threads of an OrderedPipeline do next; for that template only. Thread-safe.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "lib/io/task_queue.h"

namespace longhaul::dedup {

enum class ReadResult {
    kItem,
    kEnd,        // of the stream
    kSuspended,  // nothing yet: the item is larger than may be read out of order
};

class PipelineSchedule {
 public:
    struct Setup {
        size_t num_streams = 0;
        size_t num_threads = 1;
        uint64_t max_bytes = 0;
        uint64_t typical_bytes = 0;
        bool has_prepare = false;
        io::TaskQueue* tasks = nullptr;  // done first of all; may be null
    };

    /// Base of whatever the pipeline's items are held in.
    struct Held {
        virtual ~Held() = default;
    };
    enum class State : uint8_t { kRead, kReady, kWorking, kDone };
    struct Entry {
        size_t stream = 0;
        uint64_t number = 0;  // in its stream
        uint64_t bytes = 0;
        bool is_admitted = false;  // counted; else it waits for room
        State state = State::kRead;
        std::unique_ptr<Held> held;
        std::exception_ptr error;  // thrown in its turn
    };
    enum class Kind : uint8_t { kStop, kRead, kPrepare, kWork, kTake, kTask };
    struct Job {
        Kind kind = Kind::kStop;
        Entry* entry = nullptr;  // of an item
        size_t stream = 0;       // of kRead
        bool may_grow = false;
    };

    explicit PipelineSchedule(const Setup& setup);
    ~PipelineSchedule();
    PipelineSchedule(const PipelineSchedule&) = delete;
    PipelineSchedule& operator=(const PipelineSchedule&) = delete;

    /// The most urgent thing to do; waits until there is one. All but kStop and
    /// kTask must be answered by one of the calls below.
    Job next();

    void read_item(size_t stream, std::unique_ptr<Held> held, uint64_t bytes);
    void read_end(size_t stream);
    void read_suspended(size_t stream);
    void prepared(Entry& entry);
    void worked(Entry& entry, uint64_t bytes);
    void taken(Entry& entry);
    void failed(const Job& job, std::exception_ptr error);

    /// Throws what failed, if anything did.
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

 private:
    struct Stream {
        std::deque<std::unique_ptr<Entry>> entries;  // not yet taken
        uint64_t num_read = 0;
        uint64_t num_prepared = 0;
        bool is_reading = false;
        bool is_suspended = false;  // until it is the first
        bool has_ended = false;
    };

    bool choose(Job& job);
    bool choose_task(Job& job) const;
    bool choose_take(Job& job);
    bool choose_prepare(Job& job);
    bool choose_work(Job& job);
    bool choose_read(Job& job);
    bool may_read(size_t stream) const;
    void pass_ended_streams();
    void admit();
    void make_ready(Entry& entry);
    void add_entry(size_t stream, std::unique_ptr<Entry> entry);
    uint64_t num_taken(const Stream& stream) const {
        return stream.num_read - stream.entries.size();
    }

    Setup setup_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Stream> streams_;
    size_t first_ = 0;    // the first stream that is not taken to its end
    size_t prepare_ = 0;  // the stream whose items are to be prepared
    std::set<std::pair<size_t, uint64_t>> ready_;
    uint64_t admitted_bytes_ = 0;
    uint64_t num_reading_ = 0;
    bool is_taking_ = false;
    bool is_preparing_ = false;
    std::exception_ptr error_;
};

}  // namespace longhaul::dedup
