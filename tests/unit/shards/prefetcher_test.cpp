// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/prefetcher.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>

#include "lib/base/error.h"

using namespace longhaul;
using namespace longhaul::shards;
using Clock = std::chrono::steady_clock;

namespace {

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

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

TEST_CASE("prefetcher: at 20 ms a read, steps of 100 ms do not wait for their two samples") {
    // One batch ahead needs 2 * 20 ms of reading in a step; without reading ahead it would be 40 %.
    constexpr uint64_t kSteps = 8;
    double least = 1;
    for (int tries = 0; tries < 6 && least >= 0.01; ++tries) {  // a busy machine makes threads wait
        const SlowProvider provider(std::chrono::milliseconds(20));
        Prefetcher prefetcher(provider, {64, false, 1});
        Buffers out(64);
        double waited_s = 0;
        const auto start = Clock::now();
        for (uint64_t step = 0; step < kSteps; ++step) {
            prefetcher.announce(from(2 * step, 6));
            const auto begin = Clock::now();
            for (uint64_t i = 0; i < 2; ++i)
                prefetcher.read(2 * step + i, {out.tokens, out.targets, {}});
            if (step > 0) waited_s += seconds_since(begin);  // nothing can be ahead of the first
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        least = std::min(least, waited_s / seconds_since(start));
    }
    MESSAGE("waited " << 100 * least << " % of the time");
    CHECK(least < 0.01);
}
