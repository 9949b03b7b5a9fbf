// SPDX-License-Identifier: BSD-3-Clause
#include "lib/base/units.h"

#include <doctest/doctest.h>

using namespace longhaul;

TEST_CASE("units: sizes") {
    CHECK(parse_bytes("512") == 512);
    CHECK(parse_bytes("64K") == 65536);
    CHECK(parse_bytes("1.5GiB") == 1610612736);
    CHECK(parse_bytes("2GB") == 2000000000);
    CHECK(parse_bytes("1 MiB") == 1048576);
    for (const char* bad : {"", "x", "-1", "1Q", "1KiBs", "1e30", "99999999T", "KiB"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_bytes(bad).has_value());
    }
}

TEST_CASE("units: durations, Slurm's forms too") {
    CHECK(parse_duration_s("90") == 90);
    CHECK(parse_duration_s("15m") == 900);
    CHECK(parse_duration_s("1-02:03:04") == 93784);
    CHECK(parse_duration_s("05:30") == 330);
    for (const char* bad : {"", "m", "1:2:3:4", "1h30", "-5", "a:b"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_duration_s(bad).has_value());
    }
}

TEST_CASE("units: text for people") {
    CHECK(human_bytes(312) == "312 B");
    CHECK(human_bytes(1610612736) == "1.5 GiB");
    CHECK(human_duration(185) == "3m05s");
    CHECK(human_duration(3720) == "1h02m");
    CHECK(human_count(1234567) == "1.23M");
}
