// SPDX-License-Identifier: BSD-3-Clause
#include "lib/io/line_reader.h"

#include <algorithm>
#include <cstring>

#include <doctest/doctest.h>

#include "tests/support/memory_input.h"

using namespace longhaul;

TEST_CASE("lines: numbers, offsets, empty lines and a last line without newline") {
    for (const size_t chunk : {size_t{1}, size_t{3}, size_t{1000}}) {
        test::MemoryInput input("ab\n\nlast", chunk);
        io::LineReader reader(input);
        io::Line line;
        REQUIRE(reader.next(line));
        CHECK(line.text == "ab");
        CHECK(line.number == 1);
        REQUIRE(reader.next(line));
        CHECK(line.text.empty());
        CHECK(line.offset == 3);
        REQUIRE(reader.next(line));
        CHECK(line.text == "last");
        CHECK(line.number == 3);
        CHECK(line.offset == 4);
        CHECK_FALSE(line.has_newline);
        CHECK_FALSE(reader.next(line));
    }
}

TEST_CASE("lines: one that is too long is passed over and those behind it are found") {
    for (const size_t length : {size_t{1000}, size_t{3000000}}) {
        test::MemoryInput input("a\n" + std::string(length, 'x') + "\nb\nc", 100000);
        io::LineReader reader(input, 500);
        io::Line line;
        REQUIRE(reader.next(line));
        REQUIRE(reader.next(line));
        CHECK(line.is_too_long);
        CHECK(line.text.substr(0, 3) == "xxx");
        CHECK(line.offset == 2);
        REQUIRE(reader.next(line));
        CHECK(line.text == "b");
        CHECK(line.number == 3);
        CHECK(line.offset == 3 + length);
        REQUIRE(reader.next(line));
        CHECK(line.text == "c");
        CHECK_FALSE(reader.next(line));
    }
}

TEST_CASE("lines: lines larger than the read size are whole") {
    const std::string big(2000000, 'y');
    test::MemoryInput input(big + "\n" + big, 65536);
    io::LineReader reader(input);
    io::Line line;
    REQUIRE(reader.next(line));
    CHECK(line.text == big);
    REQUIRE(reader.next(line));
    CHECK(line.text == big);
    CHECK_FALSE(reader.next(line));
}
