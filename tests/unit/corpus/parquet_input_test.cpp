// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/parquet_input.h"

#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/corpus/document_reader.h"
#include "lib/io/atomic_file.h"
#include "lib/io/file.h"
#include "lib/io/json.h"
#include "tests/support/temp_dir.h"

using namespace longhaul;
using corpus::ParquetInput;
using corpus::ParquetOptions;
namespace fs = std::filesystem;

namespace {

fs::path case_folder() {
    const char* const data = std::getenv("LONGHAUL_TEST_DATA");
    REQUIRE(data != nullptr);
    return fs::path(data) / "documents" / "parquet";
}

std::string case_path(const std::string& name) {
    return (case_folder() / (name + ".parquet")).string();
}

/// Everything, in reads of odd sizes.
std::string drain(io::InputStream& input, size_t block_bytes = 4099) {
    std::string all;
    std::vector<std::byte> block(block_bytes);
    while (const size_t n = input.read(block)) {
        all.append(reinterpret_cast<const char*>(block.data()), n);
    }
    return all;
}

ParquetOptions options_for(const std::string& name) {
    ParquetOptions options;
    options.has_other_columns = true;
    if (name == "nested") options.text_field = "doc.body.text";
    return options;
}

std::string lines_of(const std::string& path, const ParquetOptions& options = {}) {
    ParquetInput input(path, options);
    return drain(input);
}

std::vector<io::Json> parse_lines(const std::string& text) {
    std::vector<io::Json> lines;
    for (size_t at = 0; at < text.size();) {
        const size_t end = text.find('\n', at);
        REQUIRE(end != std::string::npos);
        lines.push_back(io::Json::parse(text.substr(at, end - at)));
        at = end + 1;
    }
    return lines;
}

/// What reading a file with these bytes says; "" when it is read to its end.
std::string fault_of(const fs::path& folder, const std::string& bytes,
                     const ParquetOptions& options = {}) {
    const std::string path = (folder / "damaged.parquet").string();
    io::write_file_atomically(path, bytes);
    try {
        lines_of(path, options);
    } catch (const Error& error) {
        return error.describe();
    }
    return "";
}

bool has(const std::string& text, const std::string& part) {
    const bool found = text.find(part) != std::string::npos;
    if (!found) MESSAGE("in: " << text);
    return found;
}

}  // namespace

TEST_CASE("parquet: the lines of every file that pyarrow wrote are those it says") {
    size_t num_cases = 0;
    for (const auto& entry : fs::directory_iterator(case_folder())) {
        if (entry.path().extension() != ".jsonl") continue;
        const std::string name = entry.path().stem().string();
        CAPTURE(name);
        const auto expected = parse_lines(io::read_text_file(entry.path()));
        const auto lines = parse_lines(lines_of(case_path(name), options_for(name)));
        REQUIRE(lines.size() == expected.size());
        for (size_t i = 0; i < lines.size(); ++i) {
            CAPTURE(i);
            CHECK(lines[i] == expected[i]);
        }
        ++num_cases;
    }
    CHECK(num_cases == 29);
}

TEST_CASE("parquet: the hash and size are those of the file as stored") {
    for (const char* const name : {"columns_v1", "many_pages", "empty"}) {
        const std::string path = case_path(name);
        ParquetInput input(path, {});
        drain(input);
        const std::string bytes = io::read_text_file(path);
        CHECK(input.stored_bytes() == bytes.size());
        CHECK(input.stored_hash() == xxh3_128(bytes));
    }
}

TEST_CASE("parquet: parts at any byte give each row once, in order, and adjoin") {
    const std::string path = case_path("columns_v1");
    const uint64_t size = io::file_size(path);
    const std::string whole = lines_of(path);
    for (const uint64_t step : {uint64_t{1000}, uint64_t{3331}, size / 2, size}) {
        std::string joined;
        uint64_t next_byte = 0;
        for (uint64_t begin = 0; begin < size; begin += step) {
            ParquetInput part(path, {}, begin, std::min(size, begin + step));
            CHECK(part.first_byte() == next_byte);
            joined += drain(part, 100000);
            next_byte += part.stored_bytes();
        }
        CHECK(joined == whole);
        CHECK(next_byte == size);
    }
}

TEST_CASE("parquet: documents by name, by first bytes, by option; nulls are bad records") {
    const test::TempDir dir;
    const std::string other = (dir / "no-name").string();
    fs::copy_file(case_path("snappy_v1_dict"), other);
    for (const std::string& path : {case_path("snappy_v1_dict"), other}) {
        corpus::DocumentReader reader(path, {});
        corpus::Document document;
        std::vector<uint64_t> rows;
        while (reader.next(document)) rows.push_back(document.row);
        CHECK(rows.size() == 45);
        CHECK(reader.num_records() == 60);
        CHECK(reader.bad_records().count(corpus::Reason::kMissingField) == 15);
        CHECK(reader.stored_hash() == xxh3_128(io::read_text_file(path)));
    }
    corpus::DocumentReader reader(case_path("invalid_utf8"), {});
    corpus::Document document;
    while (reader.next(document)) CHECK(document.text.starts_with("ok"));
    CHECK(reader.num_documents() == 2);
    CHECK(reader.bad_records().count(corpus::Reason::kInvalidUtf8) == 1);
    CHECK_THROWS_AS(corpus::parse_layout("parket", "x"), UsageError);
}

TEST_CASE("parquet: what is not read is refused by name") {
    const auto fault = [](const std::string& name, const std::string& field = "text") {
        ParquetOptions options;
        options.text_field = field;
        try {
            lines_of(case_path(name), options);
        } catch (const Error& error) {
            return error.describe();
        }
        return std::string();
    };
    CHECK(has(fault("refused_brotli"), "compressed with BROTLI"));
    CHECK(has(fault("refused_lz4"), "compressed with LZ4"));
    CHECK(has(fault("refused_type"), "column text holds no text"));
    CHECK(has(fault("refused_list", "text.list.element"), "is a list (REPEATED)"));
    CHECK(
        has(fault("columns_v1", "body"), "no column body (see --text-field); there are text, id"));
    CHECK(has(fault("columns_v1", "number"), "holds no text"));
    CHECK_THROWS_AS(ParquetInput(case_path("columns_v1"), {.text_field = "body"}), UsageError);
    CHECK_THROWS_AS(ParquetInput("/nonexistent.parquet", {}), IoError);
}

TEST_CASE("parquet: cut files and wrong tails are named") {
    const test::TempDir dir;
    const std::string bytes = io::read_text_file(case_path("snappy_v1_plain"));
    CHECK(fault_of(dir.path(), bytes).empty());
    for (size_t size = 0; size < bytes.size(); size += size < 40 ? 1 : 97) {
        CAPTURE(size);
        CHECK(!fault_of(dir.path(), bytes.substr(0, size)).empty());
    }
    CHECK(has(fault_of(dir.path(), "PAR1PAR1"), "too short for a Parquet file (8 bytes)"));
    std::string other = bytes;
    other.back() = 'E';
    CHECK(has(fault_of(dir.path(), other), "encrypted Parquet files are not read here"));
    other.back() = 'x';
    CHECK(has(fault_of(dir.path(), other), "no \"PAR1\" at the end"));
    other = bytes;
    other[other.size() - 5] = '\x7F';
    CHECK(has(fault_of(dir.path(), other), "a footer of 2130"));
}

TEST_CASE("parquet: a flipped bit never crashes, and a checksum finds it in a page") {
    const test::TempDir dir;
    for (const char* const name : {"zstd_v2_dict", "gzip_v1_plain", "delta_byte_array", "nested"}) {
        const std::string bytes = io::read_text_file(case_path(name));
        for (size_t i = 0; i < bytes.size(); i += 3) {
            std::string other = bytes;
            other[i] = static_cast<char>(other[i] ^ (1 << (i % 8)));
            fault_of(dir.path(), other, options_for(name));  // any answer but a crash
        }
    }
    // The first page is the dictionary of the text: bytes 4 to 374, its header well below byte 60.
    const std::string bytes = io::read_text_file(case_path("columns_v1"));
    for (size_t i = 60; i < 375; i += 7) {
        std::string other = bytes;
        other[i] = static_cast<char>(other[i] ^ 0x10);
        CHECK(has(fault_of(dir.path(), other), "the page's checksum does not hold"));
    }
}

TEST_CASE("parquet: a page above the limit is refused before it is unpacked") {
    ParquetOptions options;
    options.max_page_bytes = 1000;
    CHECK_THROWS_WITH_AS(lines_of(case_path("long_text"), options),
                         doctest::Contains("write the file with smaller pages"), DataError);
}
