// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/batch.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/memory_input.h"

using namespace longhaul;
using corpus::Layout;
using dedup::Batch;
using dedup::BatchReader;
using dedup::ReadResult;

namespace {

struct Found {
    std::string content, raw;
    uint64_t row, offset;
    bool is_too_long;
};

struct Reading {
    std::vector<Found> lines;
    uint64_t num_batches = 0;
    uint64_t num_suspended = 0;
    uint64_t told_bytes = 0;
    size_t largest_batch = 0;
};

struct Setting {
    Layout layout = Layout::kJsonLines;
    size_t chunk = 1000000;
    uint64_t max_line = 1 << 20;
    uint64_t batch_bytes = 256;
    bool asks_first = false;  // reads without may_grow until that is of no use
};

Reading read_all(const std::string& text, const Setting& setting) {
    Reading reading;
    BatchReader reader(
        [&](size_t) { return std::make_unique<test::MemoryInput>(text, setting.chunk); },
        {setting.layout}, setting.max_line, setting.batch_bytes,
        [&](uint64_t n) { reading.told_bytes += n; });
    bool has_ended = false;
    while (true) {
        Batch batch;
        ReadResult result = reader.next(0, batch, !setting.asks_first);
        if (result == ReadResult::kSuspended) {
            ++reading.num_suspended;
            result = reader.next(0, batch, true);
        }
        if (result == ReadResult::kEnd) break;
        REQUIRE(result == ReadResult::kItem);
        REQUIRE_FALSE(has_ended);
        ++reading.num_batches;
        reading.largest_batch = std::max(reading.largest_batch, batch.bytes.capacity());
        for (size_t i = 0; i < batch.lines.size(); ++i) {
            reading.lines.push_back({std::string(batch.content(i)), std::string(batch.raw(i)),
                                     batch.first_row + i, batch.lines[i].offset,
                                     batch.lines[i].is_too_long});
        }
        has_ended = batch.ends_input;
        if (has_ended) {
            CHECK(batch.stored_bytes == text.size());
            CHECK(batch.stored_hash == xxh3_128(text));
        }
    }
    CHECK(has_ended);
    CHECK(reading.told_bytes == text.size());
    return reading;
}

}  // namespace

TEST_CASE("batches: the lines of any text, however it is read") {
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        std::string text;
        std::vector<std::string> lines;
        for (size_t count = random() % 40; count > 0; --count) {
            const size_t length = random() % 10 == 0 ? random() % 2000 : random() % 60;
            lines.emplace_back(length, static_cast<char>('a' + count % 26));
            text += lines.back() + "\n";
        }
        if (!text.empty() && random() % 2 == 0 && !lines.back().empty()) text.pop_back();
        Setting setting;
        setting.chunk = size_t{1} << random() % 12;
        setting.batch_bytes = 64 << random() % 6;
        setting.asks_first = random() % 2 == 0;
        const Reading reading = read_all(text, setting);
        REQUIRE(reading.lines.size() == lines.size());
        std::string joined;
        for (size_t i = 0; i < lines.size(); ++i) {
            REQUIRE(reading.lines[i].content == lines[i]);
            REQUIRE(reading.lines[i].row == i);
            REQUIRE(reading.lines[i].offset == joined.size());
            REQUIRE_FALSE(reading.lines[i].is_too_long);
            joined += reading.lines[i].raw;
        }
        REQUIRE(joined == text);
    }
}

TEST_CASE("batches: a line longer than a batch waits until it may grow") {
    const std::string text = "first\n" + std::string(5000, 'x') + "\nlast\n";
    Setting setting;
    setting.asks_first = true;
    const Reading reading = read_all(text, setting);
    REQUIRE(reading.lines.size() == 3);
    CHECK(reading.lines[1].content == std::string(5000, 'x'));
    CHECK(reading.num_suspended == 1);
    setting.asks_first = false;
    CHECK(read_all(text, setting).num_suspended == 0);
}

TEST_CASE("batches: a line that is too long is passed over in little memory") {
    for (const size_t length : {size_t{1500}, size_t{3000000}}) {
        for (const bool has_end : {true, false}) {
            CAPTURE(length);
            const std::string tail = has_end ? "\nb\nc" : "";
            Setting setting;
            setting.max_line = 1000;
            const Reading reading = read_all("a\n" + std::string(length, 'x') + tail, setting);
            REQUIRE(reading.lines.size() == (has_end ? 4u : 2u));
            CHECK(reading.lines[0].content == "a");
            CHECK(reading.lines[1].is_too_long);
            CHECK(reading.lines[1].content.starts_with("xxx"));
            CHECK(reading.lines[1].offset == 2);
            CHECK(reading.largest_batch <= 2048);
            if (!has_end) continue;
            CHECK(reading.lines[2].content == "b");
            CHECK(reading.lines[2].row == 2);
            CHECK(reading.lines[2].offset == 3 + length);
            CHECK(reading.lines[3].content == "c");
        }
    }
}

TEST_CASE("batches: a byte order mark is apart, in the first line only") {
    const Reading reading = read_all("\xEF\xBB\xBF{}\n\xEF\xBB\xBF{}\n", Setting{});
    REQUIRE(reading.lines.size() == 2);
    CHECK(reading.lines[0].content == "{}");
    CHECK(reading.lines[0].raw == "\xEF\xBB\xBF{}\n");
    CHECK(reading.lines[1].content == "\xEF\xBB\xBF{}");
}

TEST_CASE("batches: a text file is one line, an empty one too") {
    Setting setting;
    setting.layout = Layout::kTextFile;
    for (const std::string& text : {std::string(), std::string("a\nb"), std::string(3000, 'z')}) {
        setting.asks_first = text.size() > 2;
        const Reading reading = read_all(text, setting);
        REQUIRE(reading.lines.size() == 1);
        CHECK(reading.lines[0].raw == text);
        CHECK(reading.num_suspended == (text.size() > 1000 ? 1 : 0));
    }
    setting.max_line = 2000;
    const Reading reading = read_all(std::string(50000, 'z'), setting);
    REQUIRE(reading.lines.size() == 1);
    CHECK(reading.lines[0].is_too_long);
    CHECK(reading.lines[0].raw.empty());
}

TEST_CASE("batches: an empty input ends with an empty batch") {
    const Reading reading = read_all("", Setting{});
    CHECK(reading.lines.empty());
    CHECK(reading.num_batches == 1);
}
