// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/pipeline_schedule.h"

#include <algorithm>

namespace longhaul::dedup {

PipelineSchedule::PipelineSchedule(const Setup& setup)
    : setup_(setup), streams_(setup.num_streams) {
    if (setup_.tasks == nullptr) return;
    setup_.tasks->set_listener([this] {
        const std::lock_guard lock(mutex_);
        changed_.notify_all();
    });
}

PipelineSchedule::~PipelineSchedule() {
    if (setup_.tasks != nullptr) setup_.tasks->set_listener({});
}

void PipelineSchedule::pass_ended_streams() {
    while (first_ < streams_.size() && streams_[first_].has_ended &&
           streams_[first_].entries.empty()) {
        ++first_;
    }
    while (prepare_ < streams_.size() && streams_[prepare_].has_ended &&
           streams_[prepare_].num_prepared == streams_[prepare_].num_read) {
        ++prepare_;
    }
}

PipelineSchedule::Job PipelineSchedule::next() {
    std::unique_lock lock(mutex_);
    Job job;
    changed_.wait(lock, [&] {
        if (error_) return true;
        pass_ended_streams();
        return first_ == streams_.size() || choose(job);
    });
    return job;
}

/// What frees memory comes first, what takes it last.
bool PipelineSchedule::choose(Job& job) {
    return choose_task(job) || choose_take(job) || choose_prepare(job) || choose_work(job) ||
           choose_read(job);
}

bool PipelineSchedule::choose_task(Job& job) const {
    if (setup_.tasks == nullptr || setup_.tasks->is_empty()) return false;
    job.kind = Kind::kTask;
    return true;
}

bool PipelineSchedule::choose_take(Job& job) {
    const auto& entries = streams_[first_].entries;
    if (is_taking_ || entries.empty() || entries.front()->state != State::kDone) return false;
    if (entries.front()->error) {
        error_ = entries.front()->error;
        changed_.notify_all();
        return true;  // and the job is to stop
    }
    is_taking_ = true;
    job = {Kind::kTake, entries.front().get(), first_, false};
    return true;
}

bool PipelineSchedule::choose_prepare(Job& job) {
    if (!setup_.has_prepare || is_preparing_) return false;
    while (prepare_ < streams_.size()) {
        Stream& stream = streams_[prepare_];
        if (stream.num_prepared == stream.num_read) return false;
        Entry& entry = *stream.entries[stream.num_prepared - num_taken(stream)];
        if (!entry.error) {
            is_preparing_ = true;
            job = {Kind::kPrepare, &entry, prepare_, false};
            return true;
        }
        ++stream.num_prepared;
        pass_ended_streams();
    }
    return false;
}

bool PipelineSchedule::choose_work(Job& job) {
    if (ready_.empty()) return false;
    const auto [index, number] = *ready_.begin();
    ready_.erase(ready_.begin());
    const Stream& stream = streams_[index];
    Entry& entry = *stream.entries[number - num_taken(stream)];
    entry.state = State::kWorking;
    job = {Kind::kWork, &entry, index, false};
    return true;
}

bool PipelineSchedule::may_read(size_t index) const {
    const Stream& stream = streams_[index];
    const bool is_first = index == first_;
    if (stream.is_reading || stream.has_ended || (stream.is_suspended && !is_first)) return false;
    if (!stream.entries.empty() && !stream.entries.back()->is_admitted) return false;
    const uint64_t wanted = admitted_bytes_ + (num_reading_ + 1) * setup_.typical_bytes;
    // Streams behind the first fill half of the memory at most, so that the first never stands
    // still for them: theirs is freed only after its end.
    if (is_first) return stream.entries.empty() || wanted <= setup_.max_bytes;
    return wanted <= setup_.max_bytes / 2;
}

bool PipelineSchedule::choose_read(Job& job) {
    const size_t end = std::min(streams_.size(), first_ + setup_.num_threads);
    for (size_t index = first_; index < end; ++index) {
        if (!may_read(index)) continue;
        streams_[index].is_reading = true;
        ++num_reading_;
        job = {Kind::kRead, nullptr, index, index == first_};
        return true;
    }
    return false;
}

void PipelineSchedule::make_ready(Entry& entry) {
    if (entry.error || !entry.is_admitted || entry.state != State::kReady) return;
    ready_.emplace(entry.stream, entry.number);
}

/// Lets items in that waited for room: of each stream, the last one read may.
void PipelineSchedule::admit() {
    const size_t end = std::min(streams_.size(), first_ + setup_.num_threads);
    for (size_t index = first_; index < end; ++index) {
        const auto& entries = streams_[index].entries;
        if (entries.empty() || entries.back()->is_admitted) continue;
        Entry& entry = *entries.back();
        const bool is_alone = index == first_ && entries.size() == 1;
        if (!is_alone && admitted_bytes_ + entry.bytes > setup_.max_bytes) continue;
        entry.is_admitted = true;
        admitted_bytes_ += entry.bytes;
        make_ready(entry);
    }
}

void PipelineSchedule::add_entry(size_t index, std::unique_ptr<Entry> entry) {
    Stream& stream = streams_[index];
    entry->stream = index;
    entry->number = stream.num_read++;
    stream.entries.push_back(std::move(entry));
    stream.is_reading = false;
    stream.is_suspended = false;
    --num_reading_;
    pass_ended_streams();
    admit();
    changed_.notify_all();
}

void PipelineSchedule::read_item(size_t index, std::unique_ptr<Held> held, uint64_t bytes) {
    auto entry = std::make_unique<Entry>();
    entry->held = std::move(held);
    entry->bytes = bytes;
    entry->state = setup_.has_prepare ? State::kRead : State::kReady;
    const std::lock_guard lock(mutex_);
    add_entry(index, std::move(entry));
}

void PipelineSchedule::read_end(size_t index) {
    const std::lock_guard lock(mutex_);
    streams_[index].is_reading = false;
    streams_[index].has_ended = true;
    --num_reading_;
    pass_ended_streams();
    admit();  // what waited may be the first now
    changed_.notify_all();
}

void PipelineSchedule::read_suspended(size_t index) {
    const std::lock_guard lock(mutex_);
    streams_[index].is_reading = false;
    streams_[index].is_suspended = true;
    --num_reading_;
    changed_.notify_all();
}

void PipelineSchedule::prepared(Entry& entry) {
    const std::lock_guard lock(mutex_);
    is_preparing_ = false;
    ++streams_[entry.stream].num_prepared;
    entry.state = State::kReady;
    make_ready(entry);
    changed_.notify_all();
}

void PipelineSchedule::worked(Entry& entry, uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    entry.state = State::kDone;
    admitted_bytes_ = admitted_bytes_ - entry.bytes + bytes;
    entry.bytes = bytes;
    admit();
    changed_.notify_all();
}

void PipelineSchedule::taken(Entry& entry) {
    std::unique_ptr<Entry> last;  // dies after the lock
    const std::lock_guard lock(mutex_);
    Stream& stream = streams_[entry.stream];
    admitted_bytes_ -= entry.bytes;
    last = std::move(stream.entries.front());
    stream.entries.pop_front();
    is_taking_ = false;
    pass_ended_streams();
    admit();
    changed_.notify_all();
}

void PipelineSchedule::failed(const Job& job, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    switch (job.kind) {
        case Kind::kRead: {
            auto entry = std::make_unique<Entry>();
            entry->error = std::move(error);
            entry->is_admitted = true;
            entry->state = State::kDone;
            streams_[job.stream].has_ended = true;
            add_entry(job.stream, std::move(entry));
            break;
        }
        case Kind::kPrepare:
            is_preparing_ = false;
            ++streams_[job.stream].num_prepared;
            [[fallthrough]];
        case Kind::kWork:
            job.entry->error = std::move(error);
            job.entry->state = State::kDone;
            break;
        case Kind::kTake:
        case Kind::kTask:
        case Kind::kStop:
            if (!error_) error_ = std::move(error);
            break;
    }
    changed_.notify_all();
}

}  // namespace longhaul::dedup
