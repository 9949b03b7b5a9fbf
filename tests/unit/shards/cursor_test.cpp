// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/cursor.h"

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/io/json.h"

namespace longhaul::shards {
namespace {

using Ids = std::vector<uint64_t>;

DataPhase phase(int64_t number) {
    return {number, 0, {"aa"}, "tt", {}, 16, 4, {}};
}

TEST_CASE("cursor: how many numbers are passed to show samples") {
    CHECK(numbers_passed(10, {}) == 10);
    CHECK(numbers_passed(10, {{2, 3}}) == 12);
    CHECK(numbers_passed(10, {{9, 9}}) == 11);
    CHECK(numbers_passed(10, {{10, 20}}) == 10);
    CHECK(numbers_passed(10, {{9, 9}, {11, 12}}) == 11);
    CHECK(numbers_passed(10, {{9, 10}, {11, 12}}) == 14);
    CHECK(numbers_passed(10, {{3, 6}, {1, 4}}) == 16);
    CHECK(numbers_passed(10, {{0, 7}}, 5) == 13);
    CHECK(default_order_samples(24, {{24, 30}}) == 24);
    CHECK_THROWS_WITH_AS(default_order_samples(24, {{3, 4}}), doctest::Contains("26"), UsageError);
}

TEST_CASE("cursor: samples count up; skip ranges are never shown") {
    DataCursor cursor(phase(0), {{3, 5}, {6, 6}, {10, 11}});
    CHECK(cursor.skip().size() == 2);  // touching ranges are merged
    CHECK(cursor.peek(4) == Ids{0, 1, 2, 7});
    cursor.advance(cursor.peek(4));
    CHECK(cursor.next_sample() == 8);
    CHECK(cursor.peek(4) == Ids{8, 9, 12, 13});
    cursor.set_skip({{0, 20}});
    CHECK(cursor.peek(2) == Ids{21, 22});
}

TEST_CASE("cursor: any cut into batches shows the same samples") {
    const std::vector<SkipRange> skip = {{2, 2}, {5, 9}, {17, 30}};
    DataCursor whole(phase(0), skip), pieces(phase(0), skip);
    Ids seen;
    for (const int64_t count : {1, 3, 2, 7, 1, 4}) {
        const Ids part = pieces.peek(count);
        seen.insert(seen.end(), part.begin(), part.end());
        pieces.advance(part);
    }
    CHECK(seen == whole.peek(18));
}

TEST_CASE("cursor: JSON comes back; a new phase counts from 0") {
    DataCursor cursor(phase(0), {{3, 5}});
    cursor.advance(cursor.peek(7));
    CHECK(DataCursor::from_json(io::parse_json(io::to_line(cursor.to_json()), "t"), "t") == cursor);
    cursor.begin_phase(phase(1));
    CHECK(cursor.next_sample() == 0);
    CHECK(cursor.phases().size() == 2);
    CHECK_THROWS_AS(cursor.begin_phase(phase(1)), UsageError);
    CHECK_THROWS_AS(DataCursor::from_json(io::parse_json("{\"next_sample\": 1}", "t"), "t"),
                    DataError);
    for (const OrderKind order : {OrderKind::kFeistel, OrderKind::kMegatron}) {
        CHECK(order_seed(7, 0, order) == 7);
        CHECK(order_seed(7, 1, order) != order_seed(7, 2, order));
    }
    CHECK(order_seed(7, 3, OrderKind::kMegatron) <= UINT32_MAX);
}

TEST_CASE("cursor: how samples are made comes back; absent in old checkpoints") {
    SampleWords words;
    words.order = "block";
    words.order_block = 3;
    words.order_window = 5;
    words.packing = "best-fit";
    words.attention = "document";
    words.mask_boundaries = true;
    words.mask_ids = {"7", "9"};
    words.loss_between = {"1", "2"};
    DataPhase made = phase(0);
    made.samples = settings_of(words);
    io::Json json = DataCursor(made, {}).to_json();
    CHECK(DataCursor::from_json(json, "t").phase() == made);
    words = {};
    words.order = "megatron";
    words.order_samples = 77;
    made.samples = settings_of(words);
    CHECK(DataCursor::from_json(DataCursor(made, {}).to_json(), "t").phase() == made);

    io::Json& written = json["phases"][0];
    for (const char* key : {"order", "order_block", "order_window", "packing", "attention",
                            "mask_boundaries", "mask_ids", "loss_between", "blend_version"}) {
        REQUIRE(written.erase(key) == 1);
    }
    SampleSettings old;
    old.blend_version = kOldBlend;
    CHECK(DataCursor::from_json(json, "t").phase().samples == old);
    written["blend_version"] = 3;
    CHECK_THROWS_AS(DataCursor::from_json(json, "t"), DataError);
    written["blend_version"] = 2;
    written["order"] = "random";
    CHECK_THROWS_AS(DataCursor::from_json(json, "t"), DataError);
}

TEST_CASE("cursor: keys of another order are no change") {
    SampleWords words;
    words.order_block = 7;
    words.order_window = 8;
    words.order_samples = 9;
    CHECK(settings_of(words) == SampleSettings{});
}

TEST_CASE("cursor: what differs between two settings is named") {
    SampleSettings there, here;
    CHECK(difference(there, here).empty());
    here.packing = Packing::kBestFit;
    CHECK(difference(there, here) == "data.packing = best-fit, but it was stream");
    here = there;
    here.mask_ids = {4, 5};
    CHECK(difference(there, here) == "data.mask_ids = [4, 5], but it was []");
}

TEST_CASE("cursor: bad ranges are named") {
    CHECK(parse_skip_range("120-135") == SkipRange{120, 135});
    CHECK(parse_skip_range("7") == SkipRange{7, 7});
    for (const char* text : {"", "a", "5-", "-5", "9-3", "1-2-3", "1 - 2"}) {
        CHECK_THROWS_AS(parse_skip_range(text), UsageError);
    }
}

}  // namespace
}  // namespace longhaul::shards
