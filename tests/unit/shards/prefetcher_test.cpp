// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/prefetcher.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <thread>

#include "lib/base/error.h"

using namespace longhaul;
using namespace longhaul::shards;

namespace {

/// Samples made of their own number; each read takes `latency` on storage that serves any number of
/// readers at a time, like a file system far away.
class SlowProvider : public SampleProvider {
 public:
    explicit SlowProvider(std::chrono::milliseconds latency = {}) : latency_(latency) {}
    void read(uint64_t sample, const SampleBuffers& out) const override {
        std::this_thread::sleep_for(latency_);
        ++reads;
        if (sample == fails_at) throw DataError("shard-0001.h5: torn");
        std::fill(out.tokens.begin(), out.tokens.end(), static_cast<int32_t>(sample));
        std::fill(out.targets.begin(), out.targets.end(), static_cast<int32_t>(sample + 1));
        std::fill(out.document_begins.begin(), out.document_begins.end(), 3);
    }
    void will_need(uint64_t) const override {
        ++hints;
        throw DataError("a hint must not matter");
    }
    uint64_t fails_at = ~uint64_t{0};
    mutable std::atomic<int> reads{0}, hints{0};

 private:
    std::chrono::milliseconds latency_;
};

struct Buffers {
    std::vector<int32_t> tokens, targets, begins;
    explicit Buffers(size_t size) : tokens(size), targets(size), begins(size) {}
    SampleBuffers all() { return {tokens, targets, begins}; }
};

std::vector<uint64_t> from(uint64_t first, size_t count) {
    std::vector<uint64_t> samples(count);
    std::iota(samples.begin(), samples.end(), first);
    return samples;
}

}  // namespace

TEST_CASE("prefetcher: gives the provider's samples, announced or not, each read once") {
    const SlowProvider provider;
    Prefetcher prefetcher(provider, {16, true, 3});
    Buffers out(16);
    for (uint64_t step = 0; step < 50; ++step) {
        prefetcher.announce(from(4 * step, 12));
        for (uint64_t i = 0; i < 4; ++i) {
            prefetcher.read(4 * step + i, out.all());
            REQUIRE(out.tokens == std::vector<int32_t>(16, static_cast<int32_t>(4 * step + i)));
            REQUIRE(out.targets.back() == static_cast<int32_t>(4 * step + i + 1));
            REQUIRE(out.begins.front() == 3);
        }
    }
    prefetcher.read(100000, out.all());
    CHECK(out.tokens.front() == 100000);
    prefetcher.announce({});
    CHECK(provider.reads <= 50 * 4 + 8 + 1);
    CHECK(provider.reads >= 50 * 4 + 1);
    CHECK(provider.hints > 0);
}

TEST_CASE("prefetcher: a failed read is told when the sample is asked for, and only then") {
    SlowProvider provider;
    provider.fails_at = 5;
    Prefetcher prefetcher(provider, {4, false, 2});
    Buffers out(4);
    prefetcher.announce(from(3, 5));
    prefetcher.read(3, {out.tokens, out.targets, {}});
    prefetcher.read(4, {out.tokens, out.targets, {}});
    CHECK_THROWS_AS(prefetcher.read(5, {out.tokens, out.targets, {}}), DataError);
    prefetcher.read(6, {out.tokens, out.targets, {}});
    CHECK(out.tokens.front() == 6);
}

TEST_CASE("prefetcher: a change of plan forgets samples that are being read") {
    const SlowProvider provider(std::chrono::milliseconds(5));
    Prefetcher prefetcher(provider, {4, false, 2});
    Buffers out(4);
    for (uint64_t i = 0; i < 10; ++i) {
        prefetcher.announce(from(1000 * i, 8));
        prefetcher.read(1000 * i, {out.tokens, out.targets, {}});
        REQUIRE(out.tokens.front() == static_cast<int32_t>(1000 * i));
    }
}

namespace {

/// Reads that end only once so many are under way, and hints, if that many are to come first.
class MeetingProvider : public SampleProvider {
 public:
    MeetingProvider(int readers, int hints) : readers_(readers), hints_(hints) {}
    void read(uint64_t, const SampleBuffers&) const override {
        std::unique_lock lock(mutex_);
        ++num_reading_;
        changed_.notify_all();
        const bool met = changed_.wait_for(lock, std::chrono::seconds(60), [&] {
            return num_reading_ >= readers_ && num_hints_ >= hints_;
        });
        if (!met) throw DataError("alone");
    }
    void will_need(uint64_t) const override {
        const std::lock_guard lock(mutex_);
        ++num_hints_;
        changed_.notify_all();
    }

 private:
    const int readers_, hints_;
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    mutable int num_reading_ = 0, num_hints_ = 0;
};

}  // namespace

TEST_CASE("prefetcher: as many reads are under way as there are threads, before one is asked for") {
    constexpr int kThreads = 5;
    const MeetingProvider provider(kThreads, 0);
    Prefetcher prefetcher(provider, {4, false, kThreads});
    prefetcher.announce(from(0, kThreads));
    Buffers out(4);
    for (uint64_t i = 0; i < kThreads; ++i) {
        CHECK_NOTHROW(prefetcher.read(i, {out.tokens, out.targets, {}}));
    }
}

TEST_CASE("prefetcher: hints for all that was announced do not wait for the first read") {
    const MeetingProvider provider(1, 24);
    Prefetcher prefetcher(provider, {4, false, 1});
    prefetcher.announce(from(0, 24));
    Buffers out(4);
    CHECK_NOTHROW(prefetcher.read(0, {out.tokens, out.targets, {}}));
}
