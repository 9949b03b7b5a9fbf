// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/bad_records.h"

#include <doctest/doctest.h>

#include "lib/base/error.h"

using namespace longhaul;
using corpus::BadRecord;
using corpus::BadRecordPolicy;
using corpus::BadRecords;
using corpus::Reason;

namespace {

BadRecords many(int count) {
    BadRecords records;
    for (int i = 0; i < count; ++i) {
        records.add({"f.jsonl", static_cast<uint64_t>(i + 1), 7, Reason::kNotJson, "x"});
    }
    return records;
}

}  // namespace

TEST_CASE("bad records: counted by reason, the first ten named, merged in order") {
    BadRecords all = many(8);
    BadRecords more = many(8);
    more.add({"g.jsonl", 9, 0, Reason::kTooLong, ""});
    all.merge(more);
    CHECK(all.count() == 17);
    CHECK(all.count(Reason::kNotJson) == 16);
    CHECK(all.count(Reason::kTooLong) == 1);
    REQUIRE(all.named().size() == 10);
    CHECK(all.named()[0].describe() == "f.jsonl:1:7: not JSON (x)");
    CHECK(all.named()[9].line == 2);
}

TEST_CASE("bad records: the limit is a fraction of all records, or a number") {
    const BadRecordPolicy one_percent = BadRecordPolicy::parse("skip", "1%");
    CHECK_NOTHROW(many(0).check(one_percent, 0));
    CHECK_NOTHROW(many(1).check(one_percent, 100));
    CHECK_THROWS_AS(many(1).check(one_percent, 99), DataError);
    const BadRecordPolicy three = BadRecordPolicy::parse("skip", "3");
    CHECK_NOTHROW(many(3).check(three, 3));
    CHECK_THROWS_AS(many(4).check(three, 1000000), DataError);
    const BadRecordPolicy none = BadRecordPolicy::parse("skip", "0");
    CHECK_THROWS_AS(many(1).check(none, 1000000), DataError);
    CHECK_NOTHROW(many(5).check(BadRecordPolicy::parse("skip", "100%"), 5));
}

TEST_CASE("bad records: option words") {
    CHECK(BadRecordPolicy::parse("fail", "0.5%").fail_at_first);
    CHECK(BadRecordPolicy::parse("fail", "0.5%").max_fraction == doctest::Approx(0.005));
    for (const char* word : {"", "%", "-1", "101%", "1.5", "x", "1%%", "nan%"}) {
        CAPTURE(word);
        CHECK_THROWS_AS(BadRecordPolicy::parse("skip", word), UsageError);
    }
    CHECK_THROWS_AS(BadRecordPolicy::parse("ignore", "1%"), UsageError);
}
