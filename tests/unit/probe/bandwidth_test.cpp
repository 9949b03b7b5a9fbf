// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/bandwidth.h"

#include <doctest/doctest.h>

#include "lib/base/error.h"

using namespace longhaul;
using namespace longhaul::probe;

namespace {

double round_to(double value, double unit) {
    return static_cast<double>(static_cast<int64_t>(value / unit + 0.5)) * unit;
}

}  // namespace

TEST_CASE("bandwidth: factors of nccl-tests' PERFORMANCE.md") {
    CHECK(bus_factor(Collective::kAllReduce, 8) == doctest::Approx(1.75));
    CHECK(bus_factor(Collective::kAllReduce, 2) == doctest::Approx(1.0));
    CHECK(bus_factor(Collective::kAllGather, 4) == doctest::Approx(0.75));
    CHECK(bus_factor(Collective::kReduceScatter, 4) == doctest::Approx(0.75));
    CHECK(bus_factor(Collective::kAllToAll, 8) == doctest::Approx(0.875));
    CHECK(bus_factor(Collective::kBroadcast, 8) == doctest::Approx(1));
    CHECK(bus_factor(Collective::kSendRecv, 8) == doctest::Approx(1));
    for (const Collective collective : all_collectives()) CHECK(bus_factor(collective, 1) == 0);
}

TEST_CASE("bandwidth: rows of published all-reduce tables are reproduced") {
    struct Row {
        uint64_t size;
        double time_us;
        int ranks;
        double algbw, busbw;
    };
    // size, time, ranks and the printed columns of all_reduce_perf.
    const Row rows[] = {
        // 8 GPUs; NVIDIA nccl-tests README style output
        {134217728, 1035.4, 8, 129.63, 226.85},
        {8589934592, 31900, 8, 269.28, 471.24},
        {1048576, 52.2, 4, 20.09, 30.13},
    };
    for (const Row& row : rows) {
        const Bandwidth result =
            bandwidth(Collective::kAllReduce, row.size, row.ranks, row.time_us * 1e-6);
        CHECK(round_to(result.algbw_gb_per_s, 0.01) == doctest::Approx(row.algbw).epsilon(1e-4));
        CHECK(round_to(result.busbw_gb_per_s, 0.01) == doctest::Approx(row.busbw).epsilon(1e-4));
    }
}

TEST_CASE("bandwidth: GB are 1e9 bytes, and a clock that stood still gives zero") {
    CHECK(bandwidth(Collective::kSendRecv, 1'000'000'000, 2, 1).algbw_gb_per_s == 1);
    CHECK(bandwidth(Collective::kSendRecv, 1 << 20, 2, 0).algbw_gb_per_s == 0);
}

TEST_CASE("bandwidth: parts of a split buffer are whole 16-byte blocks") {
    CHECK(elements_per_rank(Collective::kAllReduce, 100, 4, 3) == 25);
    CHECK(elements_per_rank(Collective::kAllGather, 1024, 4, 3) == 84);  // 85.3 -> 84
    CHECK(table_size_bytes(Collective::kAllGather, 84, 4, 3) == 1008);
    CHECK(elements_per_rank(Collective::kReduceScatter, 8, 4, 4) == 0);
    CHECK(table_size_bytes(Collective::kBroadcast, 25, 4, 3) == 100);
}

TEST_CASE("bandwidth: sweeps as nccl-tests -b -e -f -i") {
    CHECK(sweep_sizes(8, 64, 2, 0) == std::vector<uint64_t>{8, 16, 32, 64});
    CHECK(sweep_sizes(8, 30, 2, 0) == std::vector<uint64_t>{8, 16});
    CHECK(sweep_sizes(100, 400, 2, 150) == std::vector<uint64_t>{100, 250, 400});
    CHECK(sweep_sizes(1, 3, 1.1, 0) == std::vector<uint64_t>{1, 2, 3});  // always advances
    CHECK_THROWS_AS(sweep_sizes(0, 8, 2, 0), UsageError);
    CHECK_THROWS_AS(sweep_sizes(16, 8, 2, 0), UsageError);
    CHECK_THROWS_AS(sweep_sizes(8, 16, 1, 0), UsageError);
    CHECK_THROWS_AS(sweep_sizes(8, uint64_t{1} << 50, 2, 0), UsageError);
}

TEST_CASE("bandwidth: names") {
    for (const Collective collective : all_collectives()) {
        CHECK(collective_from_name(collective_name(collective)) == collective);
    }
    CHECK(collective_from_name("all_reduce") == Collective::kAllReduce);
    CHECK_FALSE(collective_from_name("allreduce!"));
}
