// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/prefetcher.h"

#include <algorithm>

namespace longhaul::shards {

Prefetcher::Prefetcher(const SampleProvider& provider, const PrefetchOptions& options)
    : provider_(provider), options_(options) {
    for (int i = 0; i < std::max(options.threads, 1); ++i)
        threads_.emplace_back([this] { work(); });
    threads_.emplace_back([this] { advise(); });
}

Prefetcher::~Prefetcher() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void Prefetcher::announce(std::span<const uint64_t> samples) {
    {
        const std::lock_guard lock(mutex_);
        Slots kept;
        to_advise_.clear();
        to_read_.clear();
        for (const uint64_t sample : samples) {
            const auto known = slots_.find(sample);
            const bool is_new = known == slots_.end();
            auto slot = is_new ? std::make_shared<Slot>() : known->second;
            if (is_new) to_advise_.push_back(sample);
            if (slot->state == Slot::State::kQueued) to_read_.push_back(sample);
            kept.emplace(sample, std::move(slot));
        }
        slots_ = std::move(kept);
    }
    changed_.notify_all();
}

/// On a thread of its own: a hint must not wait for a read that waits for the storage, or the
/// storage works on one batch at a time.
void Prefetcher::advise() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return ends_ || !to_advise_.empty(); });
        if (ends_) return;
        const uint64_t sample = to_advise_.front();
        to_advise_.pop_front();
        const bool is_last = to_advise_.empty();
        lock.unlock();
        try {
            provider_.will_need(sample);
        } catch (const std::exception&) {
            // A hint: read() reports what is wrong with the sample.
        }
        if (is_last) changed_.notify_all();
        lock.lock();
    }
}

void Prefetcher::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        // All hints go out before the first read, so that slow storage works on several at a time.
        changed_.wait(lock, [&] { return ends_ || (to_advise_.empty() && !to_read_.empty()); });
        if (ends_) return;
        const uint64_t sample = to_read_.front();
        to_read_.pop_front();
        const auto found = slots_.find(sample);
        if (found == slots_.end()) continue;
        const std::shared_ptr<Slot> slot = found->second;  // announce() may forget it meanwhile
        slot->state = Slot::State::kReading;
        if (!spare_.empty()) {
            slot->values = std::move(spare_.back());
            spare_.pop_back();
        }
        lock.unlock();
        fill(sample, *slot);
        lock.lock();
        slot->state = Slot::State::kDone;
        changed_.notify_all();
    }
}

void Prefetcher::fill(uint64_t sample, Slot& slot) const {
    try {
        slot.values.resize(options_.seq_len * (options_.document_begins ? 3 : 2));
        provider_.read(sample, buffers(slot.values));
    } catch (...) {
        slot.error = std::current_exception();
    }
}

SampleBuffers Prefetcher::buffers(std::vector<int32_t>& values) const {
    const std::span<int32_t> all(values);
    const size_t count = options_.seq_len;
    return {all.first(count), all.subspan(count, count), all.subspan(2 * count)};
}

void Prefetcher::read(uint64_t sample, const SampleBuffers& out) const {
    std::unique_lock lock(mutex_);
    const auto found = slots_.find(sample);
    if (found == slots_.end()) {
        lock.unlock();
        provider_.read(sample, out);
        return;
    }
    const std::shared_ptr<Slot> slot = found->second;
    changed_.wait(lock, [&] { return slot->state == Slot::State::kDone; });
    slots_.erase(sample);
    lock.unlock();
    if (slot->error != nullptr) std::rethrow_exception(slot->error);
    const SampleBuffers from = buffers(slot->values);
    std::copy(from.tokens.begin(), from.tokens.end(), out.tokens.begin());
    std::copy(from.targets.begin(), from.targets.end(), out.targets.begin());
    if (!out.document_begins.empty()) {
        std::copy(from.document_begins.begin(), from.document_begins.end(),
                  out.document_begins.begin());
    }
    lock.lock();
    spare_.push_back(std::move(slot->values));
}

}  // namespace longhaul::shards
