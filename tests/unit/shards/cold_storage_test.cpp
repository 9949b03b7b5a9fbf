// SPDX-License-Identifier: BSD-3-Clause
// How far ahead must be read so that a step does not wait for storage that is cold: measured
// against a model of it, the storage as slow as said and with one line to it. These are
// measurements of wall time, which a busy machine spoils, so they run by hand only (shards_test -ns
// -tc="cold storage*"); that reads and hints overlap is tested without a clock in prefetcher_test.
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>

#include "lib/shards/prefetcher.h"

using namespace longhaul::shards;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

struct Storage {
    std::chrono::milliseconds latency{20};  // of each request, any number of them at a time
    double bytes_per_s = 500e6;             // of all together
    bool takes_hints = true;  // posix_fadvise begins to read; else nothing does but a read
    uint64_t unit = 1;        // samples of a request: 1, or those of a window of blocks
    double sample_bytes = 8192;
};

class ColdStorage : public SampleProvider {
 public:
    explicit ColdStorage(const Storage& model) : model_(model) {}

    void read(uint64_t sample, const SampleBuffers& out) const override {
        std::this_thread::sleep_until(request(sample));
        std::fill(out.tokens.begin(), out.tokens.end(), static_cast<int32_t>(sample));
    }
    void will_need(uint64_t sample) const override {
        if (model_.takes_hints) request(sample);
    }

 private:
    /// When what is asked for is there; asks for it unless that was done before.
    Clock::time_point request(uint64_t sample) const {
        const std::lock_guard lock(mutex_);
        const auto [known, is_new] = ready_.try_emplace(sample / model_.unit);
        if (!is_new) return known->second;
        const std::chrono::duration<double> transfer(static_cast<double>(model_.unit) *
                                                     model_.sample_bytes / model_.bytes_per_s);
        line_is_free_ = std::max(line_is_free_, Clock::now()) +
                        std::chrono::duration_cast<Clock::duration>(transfer);
        return known->second = line_is_free_ + model_.latency;
    }

    Storage model_;
    mutable std::mutex mutex_;
    mutable std::map<uint64_t, Clock::time_point> ready_;
    mutable Clock::time_point line_is_free_;
};

struct Run {
    std::chrono::milliseconds step{50};
    uint64_t samples = 8;  // of a rank in a step
    uint64_t batches = 2;  // data.prefetch
    int threads = 1;       // data.prefetch_threads
    uint64_t steps = 9;
};

/// Part of the time that steps wait; the first one, before which nothing could be read, aside.
double waited(const Storage& storage, const Run& run) {
    const ColdStorage provider(storage);
    Prefetcher prefetcher(provider, {4, false, run.threads});
    std::vector<int32_t> tokens(4), targets(4);
    std::chrono::duration<double> waited{0}, total{0};
    for (uint64_t step = 0; step < run.steps; ++step) {
        std::vector<uint64_t> ahead(run.samples * (run.batches + 1));
        std::iota(ahead.begin(), ahead.end(), step * run.samples);
        const auto begin = Clock::now();
        prefetcher.announce(ahead);
        for (uint64_t i = 0; i < run.samples; ++i) prefetcher.read(ahead[i], {tokens, targets, {}});
        const auto has_data = Clock::now();
        std::this_thread::sleep_for(run.step);
        if (step == 0) continue;
        waited += has_data - begin;
        total += Clock::now() - begin;
    }
    return waited / total;
}

/// The least of a few tries: a busy machine makes threads wait for processors, not for storage.
double least_waited(const Storage& storage, const Run& run) {
    double least = 1;
    for (int i = 0; i < 6 && least > 0.01; ++i) least = std::min(least, waited(storage, run));
    return least;
}

double seconds(std::chrono::milliseconds time) {
    return std::chrono::duration<double>(time).count();
}

/// The rule of longhaul-run.toml(5).
Run recommended(const Storage& storage, Run run) {
    const double transfer = static_cast<double>(std::max(storage.unit, run.samples)) *
                            storage.sample_bytes / storage.bytes_per_s;
    const double one = seconds(storage.latency) + transfer;
    run.batches = static_cast<uint64_t>(std::ceil(one / seconds(run.step))) + 1;
    if (!storage.takes_hints) {
        run.threads = 1 + static_cast<int>(std::ceil(static_cast<double>(run.samples) *
                                                     seconds(storage.latency) / seconds(run.step)));
    }
    return run;
}

}  // namespace

TEST_CASE("cold storage: what the man page recommends waits at most 1 % of the time" *
          doctest::skip()) {
    for (const auto latency : {5ms, 20ms, 100ms}) {
        for (const bool takes_hints : {true, false}) {
            Storage storage;
            storage.latency = latency;
            storage.takes_hints = takes_hints;
            const Run run = recommended(storage, {});
            const double share = least_waited(storage, run);
            MESSAGE(latency.count() << " ms, hints " << takes_hints << ": prefetch " << run.batches
                                    << ", threads " << run.threads << ": " << 100 * share << " %");
            CHECK(share <= 0.01);
        }
    }
}

TEST_CASE("cold storage: whole windows of blocks, asked for when their first sample is announced" *
          doctest::skip()) {
    Storage storage;
    storage.latency = 100ms;
    storage.unit = 32;  // 16 MiB a window: 34 ms of the line, every fourth step
    storage.sample_bytes = 512 * 1024;
    CHECK(least_waited(storage, recommended(storage, {})) <= 0.01);
}

TEST_CASE("cold storage: with less than that, steps do wait" * doctest::skip()) {
    Storage storage;
    storage.latency = 100ms;
    Run run;
    run.batches = 0;
    run.steps = 4;
    CHECK(waited(storage, run) > 0.5);
    run.batches = 1;
    CHECK(waited(storage, run) > 0.2);
    storage.takes_hints = false;  // one thread reads two samples in the time of eight
    run.batches = 4;
    CHECK(waited(storage, run) > 0.2);
}

TEST_CASE("cold storage: table for tests/bench/RESULTS.md" * doctest::skip()) {
    for (const bool takes_hints : {true, false}) {
        for (const auto latency : {5ms, 20ms, 100ms}) {
            Storage storage;
            storage.latency = latency;
            storage.takes_hints = takes_hints;
            for (const int threads : {1, 2, 4, 8, 16, 17}) {
                for (const uint64_t batches : {0, 1, 2, 3, 4}) {
                    Run run;
                    run.batches = batches;
                    run.threads = threads;
                    MESSAGE("hints " << takes_hints << ", " << latency.count() << " ms, prefetch "
                                     << batches << ", threads " << threads << ": waits "
                                     << 100 * waited(storage, run) << " %");
                }
                if (takes_hints) break;
            }
        }
    }
}
