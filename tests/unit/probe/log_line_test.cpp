// SPDX-License-Identifier: BSD-3-Clause
#include "lib/probe/log_line.h"

#include <doctest/doctest.h>

#include "lib/probe/phrase_matcher.h"

using namespace longhaul::probe;

TEST_CASE("log line: the forms of NCCL 2.4 to 2.30 and of launchers") {
    struct Case {
        const char* line;
        LogLevel level;
        const char* host;
        int64_t pid;
        int rank;
        const char* location;
        const char* message;
    };
    const Case cases[] = {
        {"n1:97:176 [0] NCCL INFO Using network IB", LogLevel::kInfo, "n1", 97, -1, "",
         "Using network IB"},
        {"ubuntu:9621:9691 [6] misc/shmutils.cc:71 NCCL WARN Error: x", LogLevel::kWarn, "ubuntu",
         9621, -1, "misc/shmutils.cc:71", "Error: x"},
        {"[2025-04-06 22:31:56] ccw-gpu-128:3485254:3487188 [0] transport/nvls.cc:598 NCCL WARN y",
         LogLevel::kWarn, "ccw-gpu-128", 3485254, -1, "transport/nvls.cc:598", "y"},
        {"[2026-08-24 17:57:25] box:2274:2274 [0] allocator.cc:89 (ncclMemAlloc) NCCL WARN z",
         LogLevel::kWarn, "box", 2274, -1, "allocator.cc:89", "z"},
        {"[trainer3]:twshared1016:1958:1958 [3] NCCL INFO a", LogLevel::kInfo, "twshared1016", 1958,
         -1, "", "a"},
        {"12: n7.cluster:5:6 [1] NCCL INFO b", LogLevel::kInfo, "n7.cluster", 5, 12, "", "b"},
        {"10.10.23.10: so-10-10:1307367:1307586 [0] transport/net_ib.cc:1038 NCCL WARN c",
         LogLevel::kWarn, "so-10-10", 1307367, -1, "transport/net_ib.cc:1038", "c"},
        {"[3] NCCL INFO d", LogLevel::kInfo, "", -1, -1, "", "d"},
        {"[rank4]:[E321 02:07:08 ProcessGroupNCCL.cpp:607] [Rank 4] Watchdog", LogLevel::kNone, "",
         -1, 4, "", "[rank4]:[E321 02:07:08 ProcessGroupNCCL.cpp:607] [Rank 4] Watchdog"},
        {"", LogLevel::kNone, "", -1, -1, "", ""},
        {"NCCL WARN ", LogLevel::kWarn, "", -1, -1, "", ""},
        {":::1:2 NCCL INFO e", LogLevel::kInfo, "", -1, -1, "", "e"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.line);
        const LogLine line = parse_log_line(c.line);
        CHECK(line.level == c.level);
        CHECK(line.host == c.host);
        CHECK(line.pid == c.pid);
        CHECK(line.rank == c.rank);
        CHECK(line.location == c.location);
        CHECK(line.message == c.message);
    }
}

TEST_CASE("log line: numbers and words behind labels") {
    CHECK(number_after("rank x rank 7 of", "rank ") == 7);
    CHECK(number_after("rank -7", "rank ") == -1);
    CHECK(number_after("nothing", "rank ") == -1);
    CHECK(number_after("rank 99999999999999999999", "rank ") == -1);
    CHECK(word_after("commId 0x12 - Init", "commId ") == "0x12");
    CHECK(word_after("commId ", "commId ").empty());
}

TEST_CASE("phrase matcher: agrees with plain search on overlapping phrases") {
    const std::vector<std::string_view> phrases = {"he", "she", "his", "hers", "e", "she"};
    const PhraseMatcher matcher(phrases);
    for (const std::string_view line : {"ushers", "", "hishe", "xxx", "sheeehers"}) {
        std::vector<PhraseMatcher::Hit> hits;
        matcher.find(line, hits);
        std::vector<bool> found(phrases.size(), false);
        for (const auto& hit : hits) {
            CHECK_FALSE(found[hit.phrase]);  // once each
            found[hit.phrase] = true;
            CHECK(hit.end == line.find(phrases[hit.phrase]) + phrases[hit.phrase].size());
        }
        for (size_t i = 0; i < phrases.size(); ++i) {
            CHECK(found[i] == (line.find(phrases[i]) != std::string_view::npos));
        }
    }
}
