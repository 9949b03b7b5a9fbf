// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/isolation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/philox.h"
#include "lib/io/json.h"
#include "lib/probe/schedule.h"
#include "lib/probe/statistics.h"

using namespace longhaul;
using namespace longhaul::probe;
using record::Status;

namespace {

/// A fabric of `n` hosts at 48 GB/s and 2 us with 2 % of noise, and faults put into it.
struct Fabric {
    PairMatrix matrix;

    explicit Fabric(int n, uint64_t seed = 1) {
        for (int i = 0; i < n; ++i) matrix.members.push_back("n" + std::to_string(i));
        matrix.message_bytes = 64 << 20;
        matrix.rounds = n - 1 + n % 2;
        uint64_t element = 0;
        for (const Round& round : round_robin(n)) {
            for (const auto& [a, b] : round) {
                PairSample pair{a, b};
                const PhiloxKey key{seed};
                const PhiloxBlock block = philox_draw(key, element++);
                const auto noise = [&](int i) { return 0.98 + 0.04 * block.word[i] / 0x1p32; };
                pair.a_to_b_gb_per_s = 48 * noise(0);
                pair.b_to_a_gb_per_s = 48 * noise(1);
                pair.latency_us = 2 * noise(2);
                pair.noise = 0.01;
                matrix.pairs.push_back(pair);
            }
        }
    }
    template <class Change>
    void each(Change change) {
        for (PairSample& pair : matrix.pairs) change(pair);
    }
    void slow_member(int member, double gb_per_s) {
        each([&](PairSample& pair) {
            if (pair.a != member && pair.b != member) return;
            pair.a_to_b_gb_per_s = std::min(pair.a_to_b_gb_per_s, gb_per_s);
            pair.b_to_a_gb_per_s = std::min(pair.b_to_a_gb_per_s, gb_per_s);
        });
    }
    PairSample& link(int a, int b) {
        for (PairSample& pair : matrix.pairs) {
            if (std::min(pair.a, pair.b) == a && std::max(pair.a, pair.b) == b) return pair;
        }
        throw Error("no such link");
    }
    std::string verdict(IsolationLimits limits = {}) const {
        std::string text;
        for (const auto& finding : isolate(matrix, limits)) {
            text += std::string(record::status_name(finding.status)) + " " + finding.code + " " +
                    finding.subject + "\n";
        }
        return text;
    }
};

}  // namespace

TEST_CASE("statistics: median, quantile, MAD") {
    const double values[] = {5, 1, 4, 2, 3};
    CHECK(median(values) == 3);
    CHECK(quantile(values, 0) == 1);
    CHECK(quantile(values, 1) == 5);
    CHECK(quantile(values, 0.25) == 2);
    CHECK(scaled_mad(values) == doctest::Approx(1.4826));
    CHECK(std::isnan(median({})));
    CHECK(summarize(values).max == 5);
}

TEST_CASE("isolation: an even fabric is ok, whatever its size") {
    for (const int n : {2, 3, 4, 5, 8, 33, 64}) {
        for (uint64_t seed = 1; seed <= 5; ++seed) {
            const Fabric fabric(n, seed);
            CHECK(fabric.verdict() == "ok pairs.even " + std::to_string(n) + " hosts\n");
        }
    }
}

TEST_CASE("isolation: a slow host is named, and nothing else") {
    for (const int n : {3, 4, 5, 8, 64}) {
        Fabric fabric(n);
        fabric.slow_member(1, 24);
        CHECK(fabric.verdict() == "fail pairs.member.slow host n1\n");
    }
}

TEST_CASE("isolation: three slow hosts of eight") {
    Fabric fabric(8);
    for (const int member : {0, 3, 7}) fabric.slow_member(member, 20);
    CHECK(fabric.verdict() ==
          "fail pairs.member.slow host n0\nfail pairs.member.slow host n3\n"
          "fail pairs.member.slow host n7\n");
}

TEST_CASE("isolation: a slow link is named, its ends are not") {
    for (const int n : {3, 4, 8, 32}) {
        Fabric fabric(n);
        fabric.link(0, 2).a_to_b_gb_per_s = 20;
        fabric.link(0, 2).b_to_a_gb_per_s = 20;
        const PairSample& pair = fabric.link(0, 2);
        const std::string subject = "link " + fabric.matrix.members[static_cast<size_t>(pair.a)] +
                                    "-" + fabric.matrix.members[static_cast<size_t>(pair.b)];
        CHECK(fabric.verdict() == "fail pairs.link.slow " + subject + "\n");
    }
}

TEST_CASE("isolation: slow only under load is contention, not a bad link") {
    Fabric fabric(8);
    fabric.link(1, 4).a_to_b_gb_per_s = fabric.link(1, 4).b_to_a_gb_per_s = 20;
    fabric.link(1, 4).alone_gb_per_s = 47.5;
    CHECK(fabric.verdict().find("warn pairs.link.contended link") == 0);
}

TEST_CASE("isolation: a host that never answers, and a link that does not") {
    Fabric fabric(6);
    fabric.each([](PairSample& pair) { pair.is_missing = pair.a == 5 || pair.b == 5; });
    CHECK(fabric.verdict() == "fail pairs.member.silent host n5\n");
    Fabric other(6);
    other.link(0, 1).is_missing = true;
    CHECK(other.verdict().find("fail pairs.link.silent link n") == 0);
}

TEST_CASE("isolation: wrong data is always a failure") {
    Fabric fabric(2);
    fabric.matrix.pairs[0].is_wrong_data = true;
    CHECK(fabric.verdict().find("fail pairs.data.wrong link n0-n1") == 0);
}

TEST_CASE("isolation: all slow together is seen by the floor alone") {
    Fabric fabric(4);
    fabric.each([](PairSample& pair) {
        pair.a_to_b_gb_per_s /= 20;
        pair.b_to_a_gb_per_s /= 20;
    });
    CHECK(fabric.verdict() == "ok pairs.even 4 hosts\n");
    IsolationLimits limits;
    limits.min_gb_per_s = 40;
    CHECK(fabric.verdict(limits) == "fail pairs.all.slow all 4 hosts\n");
}

TEST_CASE("isolation: with two hosts the slow end is not guessed") {
    Fabric fabric(2);
    fabric.matrix.pairs[0].a_to_b_gb_per_s = 10;
    CHECK(fabric.verdict().find("warn pairs.link.one_way link n0-n1") == 0);
    IsolationLimits limits;
    limits.min_gb_per_s = 40;
    CHECK(fabric.verdict(limits).find("fail") == 0);
}

TEST_CASE("isolation: a slower second switch is topology, not many bad links") {
    Fabric fabric(8);
    fabric.each([](PairSample& pair) {
        if ((pair.a < 4) != (pair.b < 4)) pair.latency_us *= 2.5;
    });
    CHECK(fabric.verdict() == "note pairs.levels 8 hosts\n");
    fabric.each([](PairSample& pair) {
        if ((pair.a < 4) != (pair.b < 4)) pair.a_to_b_gb_per_s = pair.b_to_a_gb_per_s = 12;
    });
    CHECK(fabric.verdict() == "warn pairs.levels.slow 8 hosts\nnote pairs.levels 8 hosts\n");
}

TEST_CASE("isolation: noise that was measured widens the tolerance") {
    Fabric fabric(8);
    fabric.each([](PairSample& pair) { pair.noise = 0.3; });
    fabric.slow_member(2, 30);
    CHECK(fabric.verdict() == "ok pairs.even 8 hosts\n");
}

TEST_CASE("isolation: nothing measured is unknown, never ok") {
    PairMatrix empty;
    CHECK(isolate(empty, {}).front().status == Status::kUnknown);
    Fabric fabric(3);
    fabric.each([](PairSample& pair) { pair.a_to_b_gb_per_s = 0; });
    CHECK(isolate(fabric.matrix, {}).front().status == Status::kUnknown);
}

TEST_CASE("isolation: suspects are the slowest pairs") {
    Fabric fabric(8);
    fabric.slow_member(1, 24);
    const auto found = suspects(fabric.matrix, {}, 4);
    CHECK(found.size() == 4);
    for (const size_t index : found) {
        const PairSample& pair = fabric.matrix.pairs[index];
        CHECK((pair.a == 1 || pair.b == 1));
    }
}

TEST_CASE("pair matrix: JSON there and back, bad JSON named") {
    Fabric fabric(4);
    fabric.link(0, 1).is_missing = true;
    fabric.link(2, 3).alone_gb_per_s = 3;
    const io::Json json = to_json(fabric.matrix);
    CHECK(to_json(pair_matrix_from_json(json, "x")) == json);
    io::Json bad = json;
    bad["pairs"][0]["a"] = 17;
    CHECK_THROWS_WITH_AS(pair_matrix_from_json(bad, "x"), doctest::Contains("x: pairs[0]: 17 and"),
                         DataError);
    bad = json;
    bad["pairs"][1]["latency_us"] = -1;
    CHECK_THROWS_AS(pair_matrix_from_json(bad, "x"), DataError);
    bad = json;
    bad["unit"] = "rack";
    CHECK_THROWS_AS(pair_matrix_from_json(bad, "x"), DataError);
}
