// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/worker_pool.h"

#include <atomic>

#include <doctest/doctest.h>

#include "lib/base/error.h"

using namespace longhaul;
using namespace longhaul::tokenize;

namespace {

using Pool = WorkerPool<int, int>;

/// Squares, but for jobs below 0.
Pool::Work make_work() {
    return [](int& job) {
        if (job < 0) throw DataError(format("job {}", job));
        return job * job;
    };
}

}  // namespace

TEST_CASE("worker pool: results come in the order of the jobs, whatever the costs") {
    for (const int threads : {1, 4}) {
        for (const uint64_t max_cost : {uint64_t{1}, uint64_t{10}, uint64_t{1000}}) {
            std::vector<int> results;
            Pool pool(threads, max_cost, make_work);
            Pool::Lane lane(pool, [&](int& result) { results.push_back(result); });
            for (int i = 0; i < 200; ++i) lane.submit(i, static_cast<uint64_t>(i % 7));
            lane.finish();
            REQUIRE(results.size() == 200);
            for (int i = 0; i < 200; ++i) REQUIRE(results[static_cast<size_t>(i)] == i * i);
        }
    }
}

TEST_CASE("worker pool: an exception comes out at the place of its job, other lanes go on") {
    Pool pool(3, 100, make_work);
    std::vector<int> good;
    Pool::Lane other(pool, [&](int& result) { good.push_back(result); });
    for (int i = 0; i < 10; ++i) other.submit(i, 1);
    {
        std::vector<int> results;
        Pool::Lane lane(pool, [&](int& result) { results.push_back(result); });
        const auto run = [&] {
            for (int i = 0; i < 100; ++i) lane.submit(i == 20 ? -20 : i, 1);
            lane.finish();
        };
        CHECK_THROWS_WITH_AS(run(), "job -20", DataError);
        CHECK(results.size() == 20);
    }
    for (int i = 10; i < 50; ++i) other.submit(i, 1);
    other.finish();
    REQUIRE(good.size() == 50);
    CHECK(good.back() == 49 * 49);
}

TEST_CASE("worker pool: many lanes, jobs dearer than all room, tasks in between") {
    for (const uint64_t max_cost : {uint64_t{1}, uint64_t{50}}) {
        Pool pool(3, max_cost, make_work);
        std::atomic<int> num_tasks{0};
        std::vector<std::vector<int>> results(5);
        std::vector<std::jthread> threads;
        for (size_t k = 0; k < results.size(); ++k) {
            threads.emplace_back([&, k] {
                Pool::Lane lane(
                    pool, [&](int& result) { results[k].push_back(result); }, 4);
                for (int i = 0; i < 300; ++i) {
                    if (i % 10 == 0) pool.tasks().add([&] { ++num_tasks; });
                    lane.submit(i, i % 50 == 0 ? 200 : static_cast<uint64_t>(i % 13));
                }
                lane.finish();
            });
        }
        threads.clear();
        for (const std::vector<int>& result : results) {
            REQUIRE(result.size() == 300);
            for (int i = 0; i < 300; ++i) REQUIRE(result[static_cast<size_t>(i)] == i * i);
        }
        while (num_tasks < 150) pool.tasks().run_one();
        CHECK(num_tasks == 150);
    }
}

TEST_CASE("worker pool: what is under way stays below the bound") {
    std::atomic<int> under_way{0}, most{0};
    WorkerPool<int, int> pool(4, 10, [&]() -> Pool::Work {
        return [&](int& job) {
            const int now = ++under_way;
            for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
            }
            std::this_thread::yield();
            --under_way;
            return job;
        };
    });
    std::vector<std::jthread> threads;
    for (int k = 0; k < 3; ++k) {
        threads.emplace_back([&] {
            Pool::Lane lane(pool, [](int&) {});
            for (int i = 0; i < 500; ++i) lane.submit(i, 4);
            lane.finish();
        });
    }
    threads.clear();
    CHECK(most <= 2);  // of cost 4 each, below 10
    CHECK(most >= 1);
}
