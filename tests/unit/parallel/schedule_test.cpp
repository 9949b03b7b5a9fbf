// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/parallel/action.h"

namespace longhaul::parallel {
namespace {

Verdict run(ScheduleKind kind, int pp, int chunks, int micro_batches) {
    const Schedule lowered = lower(generate(kind, pp, chunks, micro_batches), pp, pp * chunks);
    return simulate(lowered, pp, pp * chunks, micro_batches);
}

TEST_CASE("schedule: all of pp <= 8, chunks <= 4, micro-batches <= 32 finish unbuffered") {
    for (int pp = 1; pp <= 8; ++pp) {
        for (int m = 1; m <= 32; ++m) {
            for (const auto kind : {ScheduleKind::kAllForward, ScheduleKind::k1F1B}) {
                const Verdict verdict = run(kind, pp, 1, m);
                CHECK_MESSAGE(verdict.problem.empty(), "pp ", pp, " m ", m, ": ", verdict.problem);
            }
            for (int chunks = 1; chunks <= 4 && m % pp == 0; ++chunks) {
                const Verdict verdict = run(ScheduleKind::kInterleaved, pp, chunks, m);
                CHECK_MESSAGE(verdict.problem.empty(), "pp ", pp, " chunks ", chunks, " m ", m,
                              ": ", verdict.problem);
            }
        }
    }
}

TEST_CASE("schedule: 1F1B keeps at most pp - rank micro-batches, all-forward keeps all") {
    for (const int pp : {2, 4, 7}) {
        for (const int m : {1, 3, 12}) {
            const Verdict verdict = run(ScheduleKind::k1F1B, pp, 1, m);
            for (int rank = 0; rank < pp; ++rank) {
                CHECK(verdict.peak_in_flight[static_cast<size_t>(rank)] == std::min(pp - rank, m));
            }
            CHECK(run(ScheduleKind::kAllForward, pp, 1, m).peak_in_flight[0] == m);
        }
    }
}

TEST_CASE("schedule: the bubble is (p - 1) / (m + p - 1), and less when W is split off") {
    // With backward as one unit of two; a split backward lets the previous stage go on during W.
    const ActionCosts whole{1, 2, 0}, split{1, 1, 1};
    for (const int pp : {2, 4}) {
        for (const int m : {4, 16}) {
            const double expected = static_cast<double>(pp - 1) / (m + pp - 1);
            const Schedule gpipe = lower(generate(ScheduleKind::kAllForward, pp, 1, m), pp, pp);
            const Schedule one = lower(generate(ScheduleKind::k1F1B, pp, 1, m), pp, pp);
            CHECK(simulate(gpipe, pp, pp, m, whole).bubble == doctest::Approx(expected));
            // Unbuffered sends can hold 1F1B back a little.
            CHECK(simulate(one, pp, pp, m, whole).bubble >= expected - 1e-12);
            CHECK(simulate(one, pp, pp, m, whole).bubble < 2 * expected);
            CHECK(simulate(gpipe, pp, pp, m, split).bubble < expected);
        }
    }
}

TEST_CASE("schedule: the simulator finds a deadlock of unbuffered sends") {
    // Both ranks send first: works with buffers only.
    const Schedule bad = from_csv(
        "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0I0,0W0,0RECV_B1,0I1,0W1\n"
        "1RECV_F0,1F0,1I0,1W0,1SEND_B0,1RECV_F1,1F1,1I1,1W1,1SEND_B1\n",
        "test");
    const Verdict verdict = simulate(bad, 2, 2, 2);
    CHECK(verdict.problem == "pipeline rank 0: 0SEND_F1 waits for ever: deadlock");
}

TEST_CASE("schedule: the simulator finds missing, double and misplaced work") {
    CHECK(simulate(from_csv("0F0,0I0\n", "test"), 1, 1, 1).problem ==
          "pipeline rank 0: 0W0 is missing");
    CHECK(simulate(from_csv("0F0,0F0,0I0,0W0\n", "test"), 1, 1, 1).problem ==
          "pipeline rank 0: 0F0 is done twice");
    CHECK(simulate(from_csv("0I0,0F0,0W0\n", "test"), 1, 1, 1).problem ==
          "pipeline rank 0: 0I0 has no input yet");
    CHECK(simulate(from_csv("1F0\n0F0\n", "test"), 2, 2, 1).problem ==
          "pipeline rank 0: 1F0 belongs to another rank");
}

TEST_CASE("schedule: text form comes back; bad text is named") {
    const Schedule schedule = lower(generate(ScheduleKind::kInterleaved, 2, 2, 4), 2, 4);
    CHECK(from_csv(to_csv(schedule), "test") == schedule);
    CHECK_THROWS_WITH_AS(from_csv("0F0\n0F0,2Q1\n", "s.csv"),
                         "s.csv:2: \"2Q1\" is no action (such as 2F0)", DataError);
    CHECK_THROWS_AS(generate(ScheduleKind::kInterleaved, 4, 2, 6), UsageError);
    CHECK_THROWS_AS(generate(ScheduleKind::k1F1B, 4, 2, 8), UsageError);
}

}  // namespace
}  // namespace longhaul::parallel
