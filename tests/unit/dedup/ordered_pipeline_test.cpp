// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/ordered_pipeline.h"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using longhaul::dedup::OrderedPipeline;
using longhaul::dedup::PipelineSteps;

namespace {

struct Item {
    uint64_t number = 0;
    uint64_t square = 0;
};

/// Steps over `count` items; throws in `step` ("read", "work", "take") at item 500.
PipelineSteps<Item> make_steps(uint64_t count, std::vector<uint64_t>& taken,
                               const std::string& failing_step = "") {
    const auto next = std::make_shared<uint64_t>(0);
    const auto maybe_throw = [failing_step](const std::string& step, const Item& item) {
        if (step == failing_step && item.number == 500) throw std::runtime_error(step);
    };
    return {[=](Item& item) {
                item.number = (*next)++;
                maybe_throw("read", item);
                return item.number < count;
            },
            [=](Item& item, size_t) {
                maybe_throw("work", item);
                item.square = item.number * item.number;
            },
            [=, &taken](Item& item) {
                maybe_throw("take", item);
                taken.push_back(item.square);
            },
            // Every 100th alone exceeds the bound.
            [](const Item& item) { return item.number % 100 == 0 ? 10000u : 10u; }};
}

}  // namespace

TEST_CASE("pipeline: items come out in order for any number of threads") {
    for (const int threads : {1, 2, 3, 8}) {
        CAPTURE(threads);
        std::vector<uint64_t> taken;
        OrderedPipeline<Item> pipeline(threads, 100);
        pipeline.run(make_steps(2000, taken));
        REQUIRE(taken.size() == 2000);
        bool is_ordered = true;
        for (uint64_t i = 0; i < taken.size(); ++i) is_ordered = is_ordered && taken[i] == i * i;
        CHECK(is_ordered);
    }
}

TEST_CASE("pipeline: an exception of any step ends all threads and is thrown") {
    for (const int threads : {1, 2, 5}) {
        for (const char* step : {"read", "work", "take"}) {
            CAPTURE(threads);
            CAPTURE(step);
            std::vector<uint64_t> taken;
            OrderedPipeline<Item> pipeline(threads, 100);
            CHECK_THROWS_WITH(pipeline.run(make_steps(2000, taken, step)), step);
            CHECK(taken.size() <= 500);
        }
    }
}

TEST_CASE("pipeline: nothing to read") {
    std::vector<uint64_t> taken;
    OrderedPipeline<Item> pipeline(3, 100);
    pipeline.run(make_steps(0, taken));
    CHECK(taken.empty());
}
