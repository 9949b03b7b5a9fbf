// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/document_reader.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/io/atomic_file.h"
#include "tests/support/temp_dir.h"

using namespace longhaul;
using corpus::Document;
using corpus::DocumentReader;
using corpus::ReaderOptions;
using corpus::Reason;

namespace {

struct Row {
    std::string text;
    uint64_t row;
    uint64_t offset;
    bool operator==(const Row&) const = default;
};

std::vector<Row> read_all(DocumentReader& reader) {
    std::vector<Row> rows;
    Document document;
    while (reader.next(document)) {
        rows.push_back({std::string(document.text), document.row, document.offset});
    }
    return rows;
}

}  // namespace

TEST_CASE("document reader: good, blank and bad lines") {
    const test::TempDir dir;
    const std::string path = (dir / "a.jsonl").string();
    const std::string content =
        "\xEF\xBB\xBF{\"text\":\"one\"}\r\n\n{\"text\":1}\n{\"text\":\"two\"}";
    io::write_file_atomically(path, content);
    DocumentReader reader(path, {});
    const std::vector<Row> expected{{"one", 0, 0}, {"two", 3, 31}};
    CHECK(read_all(reader) == expected);
    CHECK(reader.num_blank_lines() == 1);
    CHECK(reader.num_records() == 3);
    CHECK(reader.bad_records().count(Reason::kNotString) == 1);
    CHECK(reader.bad_records().named()[0].describe() ==
          path + ":3:28: the text field is not a string");
    CHECK(reader.stored_hash() == xxh3_128(content));
}

TEST_CASE("document reader: a line above the limit is a bad record, the next one is read") {
    const test::TempDir dir;
    const std::string path = (dir / "a.jsonl").string();
    io::write_file_atomically(
        path, "{\"text\":\"" + std::string(3 << 20, 'a') + "\"}\n{\"text\":\"b\"}\n");
    ReaderOptions options;
    options.max_line_bytes = 1 << 20;
    DocumentReader reader(path, options);
    CHECK(read_all(reader).size() == 1);
    CHECK(reader.bad_records().count(Reason::kTooLong) == 1);
    options.max_line_bytes = 4 << 20;
    DocumentReader roomy(path, options);
    CHECK(read_all(roomy).size() == 2);
}

TEST_CASE("document reader: fail at the first bad record") {
    const test::TempDir dir;
    const std::string path = (dir / "a.jsonl").string();
    io::write_file_atomically(path, "{\"text\":\"a\"}\n{\n");
    ReaderOptions options;
    options.policy = corpus::BadRecordPolicy::parse("fail", "1%");
    DocumentReader reader(path, options);
    CHECK_THROWS_AS(read_all(reader), DataError);
}

TEST_CASE("document reader: the name decides the layout, an option overrides it") {
    CHECK(corpus::parse_layout("auto", "x/a.txt.zst") == corpus::Layout::kTextFile);
    CHECK(corpus::parse_layout("auto", "x/a.json.gz") == corpus::Layout::kJsonLines);
    CHECK(corpus::parse_layout("auto", "standard input") == corpus::Layout::kJsonLines);
    CHECK(corpus::parse_layout("lines", "x/a.jsonl") == corpus::Layout::kTextLines);
    CHECK_THROWS_AS(corpus::parse_layout("csv", "a"), UsageError);

    const test::TempDir dir;
    const std::string path = (dir / "book.txt").string();
    io::write_file_atomically(path, "one\n\ntwo\n");
    DocumentReader file(path, {});
    CHECK(read_all(file) == std::vector<Row>{{"one\n\ntwo\n", 0, 0}});
    ReaderOptions options;
    options.layout = "lines";
    DocumentReader lines(path, options);
    CHECK(read_all(lines) == std::vector<Row>{{"one", 0, 0}, {"two", 2, 5}});
}
