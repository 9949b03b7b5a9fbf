// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/ordered_pipeline.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using longhaul::dedup::OrderedPipeline;
using longhaul::dedup::PipelineSteps;
using longhaul::dedup::ReadResult;

namespace {

constexpr uint64_t kLarge = 10000;  // bytes of every 100th item, far above the bound
constexpr uint64_t kPerStream = 500;

struct Item {
    uint64_t stream = 0;
    uint64_t number = 0;
    uint64_t result = 0;
    bool is_large() const { return number % 100 == 99; }
};

uint64_t result_of(uint64_t stream, uint64_t number) {
    return stream * 1000000 + number * number;
}

/// Steps over streams of kPerStream items.
struct Steps {
    std::vector<uint64_t> taken;
    std::string
        failing_step;  // "read", "prepare", "work" or "take": throws at item 300 of stream 1
    bool has_prepare = false;

    void maybe_throw(const std::string& step, const Item& item) const {
        if (step == failing_step && item.stream == 1 && item.number == 300) {
            throw std::runtime_error(step);
        }
    }

    PipelineSteps<Item> make(size_t num_streams) {
        const auto next = std::make_shared<std::vector<uint64_t>>(num_streams);
        PipelineSteps<Item> steps;
        steps.num_streams = num_streams;
        steps.read = [this, next](size_t stream, Item& item, bool may_grow) {
            item.stream = stream;
            item.number = (*next)[stream];
            if (item.number == kPerStream) return ReadResult::kEnd;
            if (item.is_large() && !may_grow) return ReadResult::kSuspended;
            ++(*next)[stream];
            maybe_throw("read", item);
            return ReadResult::kItem;
        };
        if (has_prepare) {
            steps.prepare = [this, count = uint64_t{0}](Item& item) mutable {
                maybe_throw("prepare", item);
                // Strictly in order.
                if (item.stream * kPerStream + item.number != count++) item.number = ~uint64_t{0};
            };
        }
        steps.work = [this](Item& item, size_t) {
            maybe_throw("work", item);
            item.result = result_of(item.stream, item.number);
        };
        steps.take = [this](Item& item) {
            maybe_throw("take", item);
            taken.push_back(item.result);
        };
        steps.bytes = [](const Item& item) { return item.is_large() ? kLarge : 10u; };
        return steps;
    }
};

}  // namespace

TEST_CASE("pipeline: items of all streams come out in order for any number of threads") {
    for (const bool has_prepare : {false, true}) {
        for (const int threads : {1, 2, 3, 8}) {
            for (const size_t num_streams : {1, 2, 7}) {
                CAPTURE(threads);
                CAPTURE(num_streams);
                CAPTURE(has_prepare);
                Steps steps;
                steps.has_prepare = has_prepare;
                OrderedPipeline<Item> pipeline(threads, 100, 10);
                pipeline.run(steps.make(num_streams));
                REQUIRE(steps.taken.size() == num_streams * kPerStream);
                uint64_t num_wrong = 0;
                for (uint64_t i = 0; i < steps.taken.size(); ++i) {
                    num_wrong +=
                        steps.taken[i] == result_of(i / kPerStream, i % kPerStream) ? 0 : 1;
                }
                CHECK(num_wrong == 0);
            }
        }
    }
}

TEST_CASE("pipeline: an exception of any step ends all threads and is thrown in its turn") {
    for (const int threads : {1, 2, 5}) {
        for (const char* step : {"read", "prepare", "work", "take"}) {
            CAPTURE(threads);
            CAPTURE(step);
            Steps steps;
            steps.has_prepare = true;
            steps.failing_step = step;
            OrderedPipeline<Item> pipeline(threads, 100, 10);
            CHECK_THROWS_WITH(pipeline.run(steps.make(3)), step);
            // All before it came out, whatever the threads were ahead.
            CHECK(steps.taken.size() == kPerStream + 300);
        }
    }
}

TEST_CASE("pipeline: the first of several errors in input order is thrown") {
    for (const int threads : {1, 2, 5}) {
        CAPTURE(threads);
        Steps steps;
        PipelineSteps<Item> all = steps.make(4);
        const auto read = all.read;
        all.read = [&](size_t stream, Item& item, bool may_grow) {
            if (stream == 3) throw std::runtime_error("late");
            if (stream == 2) throw std::runtime_error("early");
            return read(stream, item, may_grow);
        };
        OrderedPipeline<Item> pipeline(threads, 100, 10);
        CHECK_THROWS_WITH(pipeline.run(all), "early");
        CHECK(steps.taken.size() == 2 * kPerStream);
    }
}

TEST_CASE("pipeline: the bytes in flight stay within the bound and one item") {
    for (const int threads : {2, 6}) {
        Steps steps;
        PipelineSteps<Item> all = steps.make(5);
        std::atomic<int64_t> in_flight{0}, most{0};
        const auto read = all.read;
        const auto take = all.take;
        const auto work = all.work;
        all.read = [&](size_t stream, Item& item, bool may_grow) {
            const ReadResult result = read(stream, item, may_grow);
            if (result == ReadResult::kItem && !item.is_large()) {
                const int64_t now = in_flight += 10;
                for (int64_t old = most; old < now && !most.compare_exchange_weak(old, now);) {
                }
            }
            return result;
        };
        all.take = [&](Item& item) {
            take(item);
            if (!item.is_large()) in_flight -= 10;
        };
        OrderedPipeline<Item> pipeline(threads, 200, 10);
        pipeline.run(all);
        CHECK(most <= 210);
        CHECK(in_flight == 0);
    }
}

TEST_CASE("pipeline: nothing to read") {
    for (const size_t num_streams : {0, 1, 3}) {
        Steps steps;
        PipelineSteps<Item> all = steps.make(num_streams);
        all.read = [](size_t, Item&, bool) { return ReadResult::kEnd; };
        OrderedPipeline<Item> pipeline(3, 100, 10);
        pipeline.run(all);
        CHECK(steps.taken.empty());
    }
}
