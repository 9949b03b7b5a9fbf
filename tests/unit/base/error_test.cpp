// SPDX-License-Identifier: BSD-3-Clause
#include "lib/base/error.h"

#include <doctest/doctest.h>

#include "lib/base/check.h"

using namespace longhaul;

TEST_CASE("error: contexts are told from the outermost to the cause") {
    try {
        with_context([] { with_context([] { throw UsageError("bad"); }, "reading {}", "a.toml"); },
                     "starting");
        FAIL("nothing was thrown");
    } catch (const Error& error) {
        CHECK(error.describe() == "starting: reading a.toml: bad");
        CHECK(error.exit_code() == ExitCode::kUsage);
    }
}

TEST_CASE("error: an I/O error keeps errno and tells its text") {
    const IoError error("cannot open x", ENOSPC);
    CHECK(error.error_number() == ENOSPC);
    CHECK(error.describe() == "cannot open x: No space left on device");
}

TEST_CASE("error: a data error names file and byte") {
    CHECK(DataError("a.jsonl", 17, "cut").describe() == "a.jsonl: byte 17: cut");
}

TEST_CASE("check: a false condition throws with its text") {
    CHECK_NOTHROW([] { LH_CHECK(1 + 1 == 2, "arithmetic"); }());
    CHECK_THROWS_WITH_AS([] { LH_CHECK(1 > 2, "{} is not {}", 1, 2); }(),
                         doctest::Contains("1 is not 2 (1 > 2 is false"), Error);
}
