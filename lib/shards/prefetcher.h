// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads samples before they are asked for, on threads of its own, so that a step does not wait for
// storage. Which ones is told from outside; the samples themselves are those of the provider.

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <unordered_map>
#include <vector>

#include "lib/shards/sample_provider.h"

namespace longhaul::shards {

struct PrefetchOptions {
    uint64_t seq_len = 0;
    bool document_begins = false;  // read() asks for them
    int threads = 1;               // that read; one more gives hints
};

/// read() and announce() belong to one thread.
class Prefetcher : public SampleProvider {
 public:
    /// @param provider outlives the prefetcher.
    Prefetcher(const SampleProvider& provider, const PrefetchOptions& options);
    ~Prefetcher() override;
    Prefetcher(const Prefetcher&) = delete;
    Prefetcher& operator=(const Prefetcher&) = delete;

    /// The samples that read() will be asked for next, in that order. Those announced before and
    /// not in the list any more are forgotten. Memory: buffer_bytes().
    void announce(std::span<const uint64_t> samples);

    /// Memory for a list of so many samples.
    static uint64_t buffer_bytes(const PrefetchOptions& options, uint64_t num_samples) {
        return num_samples * options.seq_len * (options.document_begins ? 3 : 2) * sizeof(int32_t);
    }

    /// Waits for an announced sample, then forgets it; reads any other one at once.
    /// Rethrows what went wrong when the sample was read ahead.
    void read(uint64_t sample, const SampleBuffers& out) const override;

 private:
    struct Slot {
        enum class State { kQueued, kReading, kDone } state = State::kQueued;
        std::vector<int32_t> values;  // tokens, targets, document_begins
        std::exception_ptr error;
    };
    using Slots = std::unordered_map<uint64_t, std::shared_ptr<Slot>>;

    void work();
    void advise();
    void fill(uint64_t sample, Slot& slot) const;
    SampleBuffers buffers(std::vector<int32_t>& values) const;

    const SampleProvider& provider_;
    PrefetchOptions options_;
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    mutable Slots slots_;
    std::deque<uint64_t> to_advise_, to_read_;
    mutable std::vector<std::vector<int32_t>> spare_;  // buffers of samples that were handed out
    bool ends_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace longhaul::shards
