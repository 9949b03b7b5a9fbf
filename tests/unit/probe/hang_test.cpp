// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/hang.h"

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/comm/call_ring.h"
#include "lib/io/json.h"

using namespace longhaul;
using namespace longhaul::probe;

namespace {

/// A rank of three that finished `num_done` all-reduces and, if `is_waiting`, started one more.
RingDump rank_dump(int rank, int num_done, bool is_waiting, const char* op = "all_reduce") {
    comm::CallRing ring(rank, 3);
    for (int i = 1; i <= num_done + (is_waiting ? 1 : 0); ++i) {
        comm::CallRecord call;
        call.sequence = static_cast<uint64_t>(i);
        call.axis = "dp_shard";
        call.op = i > num_done ? op : "all_reduce";
        call.tag = {12, 3, "grad"};
        call.size_bytes = 4096;
        call.group = {0, 1, 2};
        const uint64_t number = ring.post(call);
        if (i <= num_done) {
            ring.set_done(number);
        } else {
            ring.set_started(number, (rank + 1) % 3);
        }
    }
    return ring_dump_from_json(io::parse_json(ring.to_json(), "ring"), "ring");
}

std::string verdict(const std::vector<RingDump>& dumps) {
    std::string text;
    for (const auto& finding : find_hang(dumps))
        text += finding.code + " " + finding.subject + "\n";
    return text;
}

}  // namespace

TEST_CASE("hang: reads what train-run's ring writes, and names the rank that did not come") {
    const std::string text =
        verdict({rank_dump(0, 2, true), rank_dump(1, 2, false), rank_dump(2, 2, true)});
    CHECK(text.rfind("hang.rank.absent rank 1 (host ", 0) == 0);
}

TEST_CASE("hang: a rank without a dump, and a rank that is ahead") {
    CHECK(verdict({rank_dump(0, 2, true), rank_dump(1, 2, true)}) == "hang.rank.dead rank 2\n");
    // Rank 1 has gone on: it is not the one that others wait for.
    CHECK(verdict({rank_dump(0, 2, true), rank_dump(1, 5, false), rank_dump(2, 2, true)})
              .rfind("hang.network", 0) == 0);
}

TEST_CASE("hang: different calls at the same place are named first") {
    CHECK(verdict({rank_dump(0, 2, true), rank_dump(1, 2, true, "all_gather"),
                   rank_dump(2, 2, true)}) == "hang.calls.differ ranks 0 and 1\n");
}

TEST_CASE("hang: nobody waits, or all have come") {
    CHECK(verdict({rank_dump(0, 2, false), rank_dump(1, 2, false)}) == "hang.none 2 ranks\n");
    CHECK(verdict({rank_dump(0, 2, true), rank_dump(1, 2, true), rank_dump(2, 2, true)})
              .rfind("hang.network", 0) == 0);
}

TEST_CASE("hang: bad dumps are named") {
    const auto parse = [](const char* text) {
        ring_dump_from_json(io::parse_json(text, "f"), "f");
    };
    CHECK_THROWS_WITH_AS(parse("{}"), doctest::Contains("f: \"rank\""), DataError);
    CHECK_THROWS_AS(parse(R"({"rank":9,"world_size":4,"host":"a","written_s":1,"entries":[]})"),
                    DataError);
    CHECK_THROWS_WITH_AS(
        parse(R"({"rank":0,"world_size":4,"host":"a","written_s":1,"entries":[{}]})"),
        doctest::Contains("entries[0]"), DataError);
}
