// SPDX-License-Identifier: BSD-3-Clause
#include "lib/record/manifest.h"

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/io/atomic_file.h"
#include "lib/record/report.h"
#include "tests/support/temp_dir.h"

using namespace longhaul;

namespace {
record::Manifest sample() {
    record::Manifest manifest;
    manifest.tool = "dedup-minhash";
    manifest.version = "0.1.0";
    manifest.kind = "documents";
    manifest.options_json = R"({"threshold":0.8,"bands":14})";
    manifest.inputs = {{"in.jsonl", 10, 2, xxh3_128(std::string_view("in"))}};
    manifest.outputs = {{"out.jsonl", 5, 1, xxh3_128(std::string_view("out"))}};
    return manifest;
}
}  // namespace

TEST_CASE("manifest: written and read back, the hash is of the text") {
    const test::TempDir dir;
    record::write_manifest(dir / "manifest.json", sample());
    const record::Manifest read = record::read_manifest(dir / "manifest.json");
    CHECK(record::manifest_text(read) == record::manifest_text(sample()));
    CHECK(record::manifest_hash(read) == xxh3_128(io::read_text_file(dir / "manifest.json")));
}

TEST_CASE("manifest: the first difference is named") {
    record::Manifest other = sample();
    CHECK_FALSE(record::first_difference(sample(), other).has_value());
    other.options_json = R"({"threshold":0.7,"bands":14})";
    CHECK(record::first_difference(sample(), other) ==
          "option \"threshold\": 0.8 there, 0.7 asked");
    other = sample();
    other.inputs[0].xxh3_128 = {};
    CHECK(record::first_difference(sample(), other) == "input in.jsonl has changed since");
}

TEST_CASE("manifest: a name that JSON can not hold is refused") {
    CHECK_NOTHROW(record::check_name("a/b c\n.jsonl"));
    CHECK_NOTHROW(record::check_name("\xC3\xA4.jsonl"));
    CHECK_THROWS_AS(record::check_name("\xE4.jsonl"), UsageError);
}

TEST_CASE("manifest: a report may replace a report and nothing else") {
    const test::TempDir dir;
    const auto path = dir / "report.json";
    CHECK_NOTHROW(record::check_report_path(path, "tool"));
    const auto is_report = [&](const char* content) {
        io::write_file_atomically(path, content);
        return record::is_report(path, "tool");
    };
    CHECK(is_report(""));
    CHECK(is_report("{\n  \"schema\": 1,\n  \"tool\": \"tool sub\",\n  \"seconds\": 1\n}\n"));
    CHECK_FALSE(is_report("{\n  \"schema\": 1,\n  \"tool\": \"other\"}\n"));
    CHECK_FALSE(is_report("notes"));
    CHECK_THROWS_AS(record::check_report_path(path, "tool"), UsageError);
    record::Manifest manifest = sample();
    manifest.tool = "tool";
    record::write_manifest(path, manifest);
    CHECK_FALSE(record::is_report(path, "tool"));
}

TEST_CASE("manifest: an output is absent, unfinished, complete or refused") {
    const test::TempDir dir;
    const auto folder = dir / "out";
    CHECK(record::check_output(folder, sample(), false) == record::OutputState::kAbsent);
    io::create_directories(folder);
    CHECK(record::check_output(folder, sample(), false) == record::OutputState::kUnfinished);
    record::write_manifest(record::manifest_path(folder), sample());
    io::write_file_atomically(folder / "out.jsonl", "12345");
    CHECK(record::check_output(folder, sample(), false) == record::OutputState::kComplete);
    record::Manifest other = sample();
    other.kind = "shards";
    CHECK_THROWS_AS(record::check_output(folder, other, false), UsageError);
    CHECK(record::check_output(folder, other, true) == record::OutputState::kUnfinished);
}

TEST_CASE("manifest: an output that is missing or has another size is unfinished") {
    const test::TempDir dir;
    const auto file = dir / "out.jsonl";
    io::write_file_atomically(file, "12345");
    record::write_manifest(record::manifest_path(file), sample());
    CHECK(record::check_output(file, sample(), false) == record::OutputState::kComplete);
    io::write_file_atomically(file, "123");
    CHECK(record::check_output(file, sample(), false) == record::OutputState::kUnfinished);
    const auto folder = dir / "out";
    io::create_directories(folder);
    record::write_manifest(record::manifest_path(folder), sample());
    CHECK(record::check_output(folder, sample(), false) == record::OutputState::kUnfinished);
    io::write_file_atomically(record::manifest_path(file), "{");
    CHECK_THROWS_WITH_AS(record::check_output(file, sample(), false),
                         doctest::Contains("--force redoes it"), DataError);
    CHECK(record::check_output(file, sample(), true) == record::OutputState::kUnfinished);
}

TEST_CASE("manifest: a damaged file names the key") {
    const test::TempDir dir;
    io::write_file_atomically(dir / "m.json", R"({"schema":1,"tool":3})");
    CHECK_THROWS_WITH_AS(record::read_manifest(dir / "m.json"),
                         doctest::Contains("\"tool\" has the wrong type"), DataError);
    io::write_file_atomically(dir / "m.json", "{");
    CHECK_THROWS_WITH_AS(record::read_manifest(dir / "m.json"), doctest::Contains("not JSON"),
                         DataError);
}
