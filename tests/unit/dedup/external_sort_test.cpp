// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/external_sort.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/dedup/records.h"
#include "lib/dedup/shingle_store.h"
#include "tests/support/temp_dir.h"

using namespace longhaul;
using dedup::BandRecord;
using dedup::ExternalSorter;
using dedup::SpillArea;

TEST_CASE("a sort in threads gives the order of one, whatever the keys") {
    uint64_t x = 3;
    for (const uint64_t num_keys : {uint64_t{1}, uint64_t{3}, uint64_t{1} << 62}) {
        std::vector<BandRecord> records;
        for (uint64_t i = 0; i < 200'000; ++i) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            records.emplace_back((x >> 1) % num_keys, i);
        }
        std::vector<BandRecord> expected = records;
        std::sort(expected.begin(), expected.end());
        for (const int threads : {1, 2, 3, 16}) {
            std::vector<BandRecord> sorted(records.rbegin(), records.rend());
            dedup::sort_in_threads(std::span(sorted), threads);
            const bool is_equal = std::equal(
                sorted.begin(), sorted.end(), expected.begin(),
                [](const BandRecord& a, const BandRecord& b) { return !(a < b) && !(b < a); });
            CHECK(is_equal);
        }
    }
}

TEST_CASE("work in threads: every part once, and the error of the first that failed") {
    std::vector<int> calls(5);
    dedup::in_threads(5, [&](int part) { ++calls[static_cast<size_t>(part)]; });
    CHECK(calls == std::vector<int>(5, 1));
    dedup::in_threads(0, [](int) { FAIL("no part"); });
    CHECK_THROWS_WITH(dedup::in_threads(4,
                                        [](int part) {
                                            if (part > 1) throw Error(std::to_string(part));
                                        }),
                      "2");
}

TEST_CASE("external sort: in memory, spilled and merged in passes give the same order") {
    const test::TempDir dir;
    std::vector<BandRecord> records;
    uint64_t x = 1;
    for (uint64_t i = 0; i < 50000; ++i) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        records.emplace_back(x >> 52, i);  // many equal keys
    }
    std::vector<BandRecord> expected = records;
    std::sort(expected.begin(), expected.end());
    // The last is 64 records a run: 782 runs, more than one merge takes.
    for (const size_t memory : {size_t{1} << 20, size_t{100000}, size_t{1}}) {
        CAPTURE(memory);
        SpillArea area(dir.path().string());
        ExternalSorter<BandRecord> sorter(area, memory);
        for (const BandRecord& record : records) sorter.add(record);
        sorter.finish();
        CHECK(sorter.has_spilled() == (memory < records.size() * sizeof(BandRecord)));
        bool is_equal = true;
        size_t count = 0;
        for (BandRecord record; sorter.next(record); ++count) {
            is_equal = is_equal && count < expected.size() &&
                       record.key() == expected[count].key() &&
                       record.id.value() == expected[count].id.value();
        }
        CHECK(count == expected.size());
        CHECK(is_equal);
    }
}

TEST_CASE("external sort: nothing in, nothing out") {
    const test::TempDir dir;
    SpillArea area(dir.path().string());
    ExternalSorter<BandRecord> sorter(area, 1000);
    sorter.finish();
    BandRecord record;
    CHECK_FALSE(sorter.next(record));
}

TEST_CASE("records: 48-bit ids and 64-bit keys survive packing") {
    const BandRecord record(0xFEDCBA9876543210, 0x123456789ABC);
    CHECK(record.key() == 0xFEDCBA9876543210);
    CHECK(record.id.value() == 0x123456789ABC);
    CHECK(dedup::Packed48(dedup::kMaxId).value() == dedup::kMaxId);
}

TEST_CASE("spill: a folder that can not be written is an error naming it") {
    SpillArea area("/no/such/folder");
    try {
        const dedup::SpillFile file(area);
        FAIL("no error");
    } catch (const IoError& error) {
        CHECK(std::string(error.what()).find("/no/such/folder") != std::string::npos);
    }
}

TEST_CASE("shingle store: sets in memory and in the file come back, released ones are gone") {
    const test::TempDir dir;
    SpillArea area(dir.path().string());
    dedup::ShingleStore store(area, 1000);
    std::vector<uint64_t> set(100);
    for (uint64_t id = 0; id < 20; ++id) {
        std::fill(set.begin(), set.end(), id);
        store.put(id, set, 2);
    }
    CHECK(area.bytes_written() > 0);
    for (uint64_t id = 0; id < 20; ++id) {
        CHECK(store.size_of(id) == 100);
        CHECK(store.get(id)[99] == id);
    }
    for (uint64_t id = 0; id < 20; ++id) store.release(id);
    CHECK(store.count() == 20);
    for (uint64_t id = 0; id < 20; ++id) store.release(id);
    CHECK(store.count() == 0);
}
