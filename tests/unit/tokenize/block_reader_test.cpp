// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tokenize/block_reader.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/memory_input.h"

using namespace longhaul;
using tokenize::Block;
using tokenize::BlockReader;

namespace {

struct Part {
    std::string text;
    uint64_t offset;
    bool is_too_long;
    bool operator==(const Part&) const = default;
};

std::vector<Part> read_all(const std::string& text, size_t chunk, uint64_t max_line,
                           bool has_lines = true) {
    test::MemoryInput input(text, chunk);
    BlockReader reader(input, has_lines, max_line);
    std::vector<Part> parts;
    Block block;  // used again and again
    while (reader.next(block)) {
        parts.push_back({std::string(block.text()), block.offset, block.is_too_long});
    }
    return parts;
}

}  // namespace

TEST_CASE("block reader: blocks are whole lines and join to the input") {
    std::string text;
    for (int i = 0; i < 60000; ++i) text += std::string(static_cast<size_t>(i % 97), 'a') + "\n";
    for (const char* const end : {"", "no newline"}) {
        const std::string whole = text + end;
        for (const size_t chunk : {size_t{4097}, size_t{1} << 20}) {
            std::string joined;
            const std::vector<Part> parts = read_all(whole, chunk, 1 << 20);
            CHECK(parts.size() > 4);
            for (const Part& part : parts) {
                CHECK(part.offset == joined.size());
                joined += part.text;
                CHECK((part.text.ends_with('\n') || joined.size() == whole.size()));
            }
            CHECK(joined == whole);
        }
    }
    CHECK(read_all("", 100, 100).empty());
}

TEST_CASE("block reader: a line longer than a block is one, above the limit its first bytes") {
    const std::string giant(3 << 20, 'g');
    const std::string text = "a\n" + giant + "\nb\nc\n";
    for (const size_t chunk : {size_t{5000}, size_t{1} << 20}) {
        std::string joined;
        for (const Part& part : read_all(text, chunk, 8 << 20)) joined += part.text;
        CHECK(joined == text);

        const std::vector<Part> parts = read_all(text, chunk, 1 << 20);
        const std::vector<Part> expected{{"a\n", 0, false},
                                         {std::string(64, 'g'), 2, true},
                                         {"b\nc\n", 3 + giant.size(), false}};
        CHECK(parts == expected);
        // The same without anything behind it.
        CHECK(read_all("a\n" + giant, chunk, 1 << 20).size() == 2);
    }
}

TEST_CASE("block reader: a whole document, and one above the limit") {
    const std::string text = "one\ntwo\n" + std::string(1 << 20, 'x');
    CHECK(read_all(text, 3000, 2 << 20, false) == std::vector<Part>{{text, 0, false}});
    CHECK(read_all(text, 3000, 1000, false) == std::vector<Part>{{"", 0, true}});
    CHECK(read_all("", 10, 10, false) == std::vector<Part>{{"", 0, false}});
}
