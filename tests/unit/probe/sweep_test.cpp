// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/sweep.h"

#include <doctest/doctest.h>

#include "lib/io/json.h"
#include "lib/probe/pairs.h"

using namespace longhaul;
using namespace longhaul::probe;

namespace {

std::vector<SweepRow> rows_of(double alpha_us, double gb_per_s) {
    std::vector<SweepRow> rows;
    for (uint64_t size = 8; size <= (64u << 20); size *= 8) {
        SweepRow row;
        row.size_bytes = size;
        row.out_of_place.time_us.median = alpha_us + static_cast<double>(size) / gb_per_s / 1e3;
        rows.push_back(row);
    }
    return rows;
}

}  // namespace

TEST_CASE("sweep: the linear model finds start-up time and rate again") {
    const LinearModel model = fit_model(rows_of(12, 40), Collective::kAllReduce, 8);
    CHECK(model.alpha_us == doctest::Approx(12).epsilon(0.02));
    CHECK(model.beta_gb_per_s == doctest::Approx(40 * 1.75).epsilon(0.001));
    CHECK(fit_model({}, Collective::kAllReduce, 8).beta_gb_per_s == 0);
}

TEST_CASE("sweep: verdicts: wrong data, a floor, one rank") {
    Sweep sweep{"mpi", {{0, "a", 1}, {1, "b", 2}}, rows_of(1, 10)};
    for (SweepRow& row : sweep.rows) {
        row.out_of_place.num_wrong = row.in_place.num_wrong = 0;
        row.out_of_place.typical.busbw_gb_per_s = 9;
    }
    SweepOptions options;
    CHECK(judge(sweep, options)[0].code == "sweep.done");
    options.min_busbw_gb_per_s = 10;
    CHECK(judge(sweep, options)[0].code == "sweep.busbw.low");
    sweep.rows[3].in_place.num_wrong = 5;
    CHECK(judge(sweep, options)[0].code == "sweep.data.wrong");
    CHECK(judge(sweep, options)[0].evidence == "5 wrong elements, first at size 4096 bytes");
    sweep.ranks.pop_back();
    CHECK(judge(sweep, {})[1].code == "sweep.single");
    CHECK(judge(sweep, {})[1].status == record::Status::kNote);
    CHECK(judge(sweep, options)[1].status == record::Status::kUnknown);
}

TEST_CASE("pairs: members are hosts, or ranks on one host, as asked") {
    const std::vector<RankInfo> ranks = {{0, "a", 1}, {1, "a", 2}, {2, "b", 3}, {3, "b", 4}};
    const Members hosts = choose_members(ranks, "auto");
    CHECK(hosts.unit == "host");
    CHECK(hosts.ranks == std::vector<int>{0, 2});
    CHECK(hosts.names == std::vector<std::string>{"a", "b"});
    CHECK(choose_members(ranks, "rank").names ==
          std::vector<std::string>{"0@a", "1@a", "2@b", "3@b"});
    CHECK(choose_members({{0, "a", 1}, {1, "a", 2}}, "auto").unit == "rank");
}
