// SPDX-License-Identifier: BSD-3-Clause
// Collectives over threads. Also built under ThreadSanitizer (comm_tsan).
#include "lib/comm/comm.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <mutex>
#include <numeric>

#include "lib/base/error.h"
#include "lib/comm/world.h"
#include "lib/io/json.h"

namespace longhaul::comm {
namespace {

using tensor::DType;

/// Element i of rank r: irregular, so that the order of additions shows in the last bits.
float value_of(int rank, int64_t i) {
    return std::sin(static_cast<float>(rank * 7919 + i)) *
           std::pow(10.0f, static_cast<float>(rank % 5));
}

std::vector<float> values_of(int rank, int64_t count) {
    std::vector<float> values(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) values[static_cast<size_t>(i)] = value_of(rank, i);
    return values;
}

float sum_in_rank_order(int ranks, int64_t i) {
    float sum = value_of(0, i);
    for (int rank = 1; rank < ranks; ++rank) sum += value_of(rank, i);
    return sum;
}

template <class T>
Buffer buffer(std::vector<T>& values, DType dtype) {
    return {values.data(), static_cast<int64_t>(values.size()), dtype};
}

/// doctest's macros are not thread-safe enough to be called by ranks: count mismatches instead.
struct Mismatches {
    std::mutex mutex;
    int count = 0;
    void expect(bool ok) {
        const std::lock_guard lock(mutex);
        count += ok ? 0 : 1;
    }
};

TEST_CASE("comm: all_reduce equals the sum in rank order bit for bit, any size") {
    for (const int ranks : {1, 2, 3, 4, 7}) {
        for (const int64_t count : {0, 1, 5, 1000, 1025, 70001}) {
            Mismatches bad;
            run_threads(ranks, [&](World& world) {
                std::vector<float> values = values_of(world.comm().rank(), count);
                world.comm().all_reduce(buffer(values, DType::kF32), Op::kSum, {0, -1, "test"});
                for (int64_t i = 0; i < count; ++i) {
                    bad.expect(values[static_cast<size_t>(i)] == sum_in_rank_order(ranks, i));
                }
            });
            CHECK_MESSAGE(bad.count == 0, "ranks ", ranks, " count ", count);
        }
    }
}

TEST_CASE("comm: reduce_scatter in place then all_gather equals all_reduce") {
    const int ranks = 3;
    const int64_t part = 33000;
    Mismatches bad;
    run_threads(ranks, [&](World& world) {
        Comm& comm = world.comm();
        std::vector<float> values = values_of(comm.rank(), part * ranks);
        const Buffer whole = buffer(values, DType::kF32);
        const Buffer own = whole.part(comm.rank() * part, part);
        comm.reduce_scatter(whole, own, Op::kSum, {});
        comm.all_gather(own, whole, {});
        for (int64_t i = 0; i < part * ranks; ++i) {
            bad.expect(values[static_cast<size_t>(i)] == sum_in_rank_order(ranks, i));
        }
    });
    CHECK(bad.count == 0);
}

TEST_CASE("comm: bf16 is summed in fp32 and rounded once") {
    // 256 + 1 = 256 in bf16; four of them must give 260.
    std::vector<tensor::BFloat16> result(1);
    run_threads(5, [&](World& world) {
        std::vector<tensor::BFloat16> value = {tensor::to_bf16(world.comm().rank() == 0 ? 256 : 1)};
        world.comm().all_reduce(buffer(value, DType::kBF16), Op::kSum, {});
        if (world.comm().rank() == 4) result = value;
    });
    CHECK(to_float(result[0]) == 260);
}

TEST_CASE("comm: max passes a NaN on") {
    std::vector<double> results(3);
    run_threads(3, [&](World& world) {
        double value = world.comm().rank() == 1 ? std::nan("") : 1.0;
        world.comm().all_reduce(std::span(&value, 1), Op::kMax, {});
        results[static_cast<size_t>(world.comm().rank())] = value;
    });
    for (const double value : results) CHECK(std::isnan(value));
}

TEST_CASE("comm: broadcast, gather_bytes, all_to_all_v, send and recv") {
    const int ranks = 4;
    Mismatches bad;
    run_threads(ranks, [&](World& world) {
        Comm& comm = world.comm();
        const int rank = comm.rank();
        world.set_timeout(20);
        bad.expect(comm.broadcast_bytes(rank == 2 ? "hello" : "", 2, {}) == "hello");
        const auto all = comm.gather_bytes(std::string(static_cast<size_t>(rank), 'x'), 1, {});
        bad.expect(all.size() == (rank == 1 ? 4u : 0u));
        for (size_t i = 0; i < all.size(); ++i) bad.expect(all[i].size() == i);
        // Rank r sends r + to elements of value 10 * r + to.
        std::vector<int64_t> send_counts, recv_counts;
        std::vector<int32_t> in;
        for (int to = 0; to < ranks; ++to) {
            send_counts.push_back(rank + to);
            recv_counts.push_back(rank + to);
            in.insert(in.end(), static_cast<size_t>(rank + to), 10 * rank + to);
        }
        std::vector<int32_t> out(in.size());
        comm.wait(comm.start_all_to_all_v(buffer(in, DType::kI32), send_counts,
                                          buffer(out, DType::kI32), recv_counts, {}));
        size_t next = 0;
        for (int from = 0; from < ranks; ++from) {
            for (int i = 0; i < rank + from; ++i) bad.expect(out[next++] == 10 * from + rank);
        }
        // A ring of started sends does not hang although sends are unbuffered.
        std::vector<int32_t> mine = {rank}, theirs = {-1};
        const Handle sent = comm.start_send(buffer(mine, DType::kI32), (rank + 1) % ranks, {});
        comm.recv(buffer(theirs, DType::kI32), (rank + ranks - 1) % ranks, {});
        comm.wait(sent);
        bad.expect(theirs[0] == (rank + ranks - 1) % ranks);
    });
    CHECK(bad.count == 0);
}

TEST_CASE("comm: calls in flight finish in order; subgroups do not mix") {
    Mismatches bad;
    run_threads(4, [&](World& world) {
        const int rank = world.comm().rank();
        auto row = world.comm().subgroup("dp_shard", {rank / 2 * 2, rank / 2 * 2 + 1});
        auto column = world.comm().subgroup("dp_replicate", {rank % 2, rank % 2 + 2});
        std::vector<double> a(3000, rank), b(3000, 10.0 * rank), c(3000, 100.0 * rank);
        const Handle first = row->start_all_reduce(buffer(a, DType::kF64), Op::kSum, {});
        const Handle second = column->start_all_reduce(buffer(b, DType::kF64), Op::kSum, {});
        const Handle third = row->start_all_reduce(buffer(c, DType::kF64), Op::kSum, {});
        if (rank % 2 == 0) {
            row->wait(third);
            column->wait(second);
        } else {
            column->wait(second);
            row->wait(first);
            row->wait(third);
        }
        bad.expect(a[0] == rank / 2 * 4 + 1 && c[2999] == 100.0 * (rank / 2 * 4 + 1));
        bad.expect(b[7] == 10.0 * (rank % 2 * 2 + 2));
    });
    CHECK(bad.count == 0);
}

TEST_CASE("comm: a rank that throws ends all ranks with its cause") {
    const auto failing = [](World& world) {
        if (world.comm().rank() == 2) throw DataError("shard-0007.h5 is torn");
        double value = 1;
        world.comm().all_reduce(std::span(&value, 1), Op::kSum, {3, 1, "gradients"});
    };
    std::string text;
    try {
        run_threads(4, failing);
    } catch (const Error& error) {
        text = error.describe();
    }
    CHECK(text == "rank 2: shard-0007.h5 is torn");
}

TEST_CASE("comm: a missing rank is a time-out that names the call") {
    std::string text;
    try {
        run_threads(2, [](World& world) {
            world.set_timeout(0.05);
            if (world.comm().rank() == 1) return;
            std::vector<float> values(5000);
            world.comm().all_reduce(buffer(values, DType::kF32), Op::kSum, {12, 3, "gradients"});
        });
    } catch (const Error& error) {
        text = error.describe();
    }
    CHECK(text.find("no answer from rank 1") != std::string::npos);
    CHECK(text.find("all_reduce over world (step 12, block 3, gradients") != std::string::npos);
}

TEST_CASE("comm: ranks in different calls are told so") {
    CHECK_THROWS_AS(run_threads(2,
                                [](World& world) {
                                    world.set_timeout(5);
                                    std::vector<double> values(world.comm().rank() == 0 ? 4 : 5);
                                    world.comm().all_reduce(values, Op::kSum, {});
                                }),
                    CommError);
}

TEST_CASE("comm: agree throws on all ranks alike, or on none") {
    std::vector<std::string> texts(3);
    run_threads(3, [&](World& world) {
        agree(world.comm(), "");
        try {
            agree(world.comm(), world.comm().rank() == 1 ? "cannot open data" : "",
                  ExitCode::kUsage);
        } catch (const Error& error) {
            texts[static_cast<size_t>(world.comm().rank())] = error.describe();
            if (error.exit_code() != ExitCode::kUsage) throw;
        }
    });
    for (const std::string& text : texts) CHECK(text == "rank 1: cannot open data");
    CHECK_THROWS_WITH_AS(run_threads(2, [](World& world) { agree(world.comm(), "no data"); }),
                         "rank 0: no data", AgreedError);
}

TEST_CASE("comm: the ring keeps the last calls and dumps them") {
    auto world = solo_world();
    for (int i = 0; i < 100; ++i) {
        double value = i;
        world->comm().all_reduce(std::span(&value, 1), Op::kSum, {i, -1, "loss"});
    }
    const auto calls = world->ring().snapshot();
    REQUIRE(calls.size() == CallRing::kCapacity);
    CHECK(calls.front().tag.step == 36);
    CHECK(calls.back().tag.step == 99);
    CHECK(world->ring().num_done() == 100);
    const io::Json dump = io::parse_json(world->ring().to_json(), "ring");
    CHECK(dump["entries"].back()["what"] == "loss");
    CHECK(dump["entries"].back()["state"] == "done");
}

TEST_CASE("comm: recording counts bytes and touches nothing") {
    auto world = record_world(8, 3);
    world->comm().all_reduce(Buffer{nullptr, 1 << 20, DType::kF32}, Op::kSum, {});
    CHECK(world->ring().bytes_posted() == 4u << 20);
    CHECK(world->comm().is_recording());
}

}  // namespace
}  // namespace longhaul::comm
