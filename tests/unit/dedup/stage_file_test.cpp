// SPDX-License-Identifier: BSD-3-Clause
// Stage files: what was written comes back; what is cut, damaged or foreign is refused by name.
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/dedup/records.h"
#include "lib/dedup/stages/stage_file.h"
#include "lib/io/file.h"
#include "tests/support/temp_dir.h"

using namespace longhaul;
using dedup::BandRecord;
using dedup::Stage;
using dedup::StageIdentity;
using dedup::StageReader;
using dedup::StageWriter;

namespace {

const StageIdentity kIdentity{Stage::kGroup, 7, "native", {1, 2}, {3, 4}};

std::string refusal(const std::filesystem::path& path, const StageIdentity& identity) {
    try {
        const StageReader reader(path, identity);
        for (size_t i = 0; i < reader.num_sections(); ++i) reader.read_text(i);
        return "";
    } catch (const DataError& error) {
        return error.describe();
    }
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// A file of three sections: text, many records, nothing.
struct Sample {
    test::TempDir dir;
    std::filesystem::path path = dir / "00007.lhd";
    std::string bytes;

    explicit Sample(uint64_t num_records = 3000) {
        StageWriter writer(path, kIdentity, 3, 0);
        for (uint64_t i = 0; i < num_records; ++i) {
            writer.add(1, BandRecord(i * 77, i));
            if (i % 100 == 0) writer.add_text(0, "x", 1);
        }
        writer.commit();
        bytes = io::read_text_file(path);
    }
    void rewrite(const std::string& content) const { io::write_file_atomically(path, content); }
};

}  // namespace

TEST_CASE("stage file: sections come back") {
    for (const uint64_t num_records : {0, 1, 292, 293, 3000}) {
        CAPTURE(num_records);
        const Sample sample(num_records);
        const StageReader reader(sample.path, kIdentity);
        REQUIRE(reader.num_sections() == 3);
        CHECK(reader.rows() == num_records + (num_records + 99) / 100);
        CHECK(reader.read_text(0) == std::string((num_records + 99) / 100, 'x'));
        CHECK(reader.read_text(2).empty());
        for (const size_t buffer_bytes : {1, 100, 1 << 20}) {
            dedup::RecordReader<BandRecord> records(reader, 1, buffer_bytes);
            uint64_t count = 0;
            for (BandRecord record; records.next(record); ++count) {
                REQUIRE(record.key() == count * 77);
                REQUIRE(record.id.value() == count);
            }
            CHECK(count == num_records);
        }
        std::string joined;
        reader.for_each_block(1, [&](std::span<const std::byte> block) {
            joined.append(reinterpret_cast<const char*>(block.data()), block.size());
        });
        CHECK(joined == reader.read_text(1));
    }
}

TEST_CASE("stage file: equal content gives equal bytes") {
    CHECK(Sample().bytes == Sample().bytes);
}

TEST_CASE("stage file: a cut file is refused at any length") {
    const Sample sample;
    for (size_t size = 0; size < sample.bytes.size(); size += size < 400 ? 1 : 997) {
        CAPTURE(size);
        sample.rewrite(sample.bytes.substr(0, size));
        const std::string text = refusal(sample.path, kIdentity);
        CHECK(contains(text, "00007.lhd"));
        CHECK(contains(text, "dedup-minhash group"));
    }
    for (size_t cut = 1; cut < 400; ++cut) {
        CAPTURE(cut);
        sample.rewrite(sample.bytes.substr(0, sample.bytes.size() - cut));
        CHECK_FALSE(refusal(sample.path, kIdentity).empty());
    }
    sample.rewrite(sample.bytes + "x");
    CHECK_FALSE(refusal(sample.path, kIdentity).empty());
}

TEST_CASE("stage file: every flipped bit is found") {
    const Sample sample(40);
    for (size_t at = 0; at < sample.bytes.size(); ++at) {
        CAPTURE(at);
        std::string damaged = sample.bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
        sample.rewrite(damaged);
        CHECK_FALSE(refusal(sample.path, kIdentity).empty());
    }
}

TEST_CASE("stage file: what belongs elsewhere is refused") {
    const Sample sample;
    CHECK(refusal(sample.path, kIdentity).empty());
    StageIdentity other = kIdentity;
    other.stage = Stage::kSign;
    CHECK(contains(refusal(sample.path, other), "a file of stage group, not sign"));
    other = kIdentity;
    other.unit = 8;
    CHECK(contains(refusal(sample.path, other), "holds unit 7, not 8"));
    other = kIdentity;
    other.scheme = "datatrove";
    CHECK(contains(refusal(sample.path, other), "other parameters (scheme \"native\")"));
    other = kIdentity;
    other.parameters_hash.low ^= 1;
    CHECK(contains(refusal(sample.path, other), "other parameters"));
    other = kIdentity;
    other.plan_hash.high ^= 1;
    CHECK(contains(refusal(sample.path, other), "belongs to another plan"));
}

TEST_CASE("stage file: records that are no whole ones") {
    test::TempDir dir;
    StageWriter writer(dir / "x", kIdentity, 1, 0);
    writer.add_text(0, "123456789012345", 1);
    writer.commit();
    const StageReader reader(dir / "x", kIdentity);
    CHECK_THROWS_AS(dedup::RecordReader<BandRecord>(reader, 0), DataError);
    std::array<std::byte, 4> bytes;
    CHECK_NOTHROW(reader.read_at(0, 11, bytes));
    CHECK_THROWS_AS(reader.read_at(0, 12, bytes), DataError);
    CHECK_THROWS_AS(reader.read_at(0, ~uint64_t{0}, bytes), DataError);
}

TEST_CASE("stage file: a writer that is not committed leaves nothing") {
    test::TempDir dir;
    {
        StageWriter writer(dir / "x", kIdentity, 1, 0);
        writer.add_text(0, "1", 1);
    }
    CHECK(std::filesystem::is_empty(dir.path()));
}
