// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/spans/span_units.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lib/base/error.h"

using namespace longhaul;
using dedup::SpanUnit;
using dedup::TextUnit;

namespace {

using Pieces = std::vector<std::string>;

/// Contents of the units, each with what goes with it behind a '|'.
Pieces units_of(std::string_view text, SpanUnit unit) {
    Pieces pieces;
    dedup::for_each_unit(text, unit, [&](const TextUnit& found) {
        const std::string content(found.content(text));
        const std::string rest(text.substr(found.content_end, found.end - found.content_end));
        pieces.push_back(content + "|" + rest);
    });
    return pieces;
}

}  // namespace

TEST_CASE("units: lines end with LF, CR LF or CR") {
    CHECK(units_of("", SpanUnit::kLine) == Pieces{});
    CHECK(units_of("one", SpanUnit::kLine) == Pieces{"one|"});
    CHECK(units_of("one\n", SpanUnit::kLine) == Pieces{"one|\n"});
    CHECK(units_of("a\r\nb\rc\nd\r", SpanUnit::kLine) == Pieces{"a|\r\n", "b|\r", "c|\n", "d|\r"});
    CHECK(units_of("\n\n x\n\r\n", SpanUnit::kLine) == Pieces{"|\n", "|\n", " x|\n", "|\r\n"});
    CHECK(units_of("a\n\r\nb", SpanUnit::kLine) == Pieces{"a|\n", "|\r\n", "b|"});
    CHECK(units_of(std::string("a\0b\nc", 5), SpanUnit::kLine) ==
          Pieces{std::string("a\0b|\n", 5), "c|"});
}

TEST_CASE("units: paragraphs are parted by blank lines") {
    CHECK(units_of("", SpanUnit::kParagraph) == Pieces{});
    CHECK(units_of("\n \n\t\n", SpanUnit::kParagraph) == Pieces{});
    CHECK(units_of("a\nb\n\nc", SpanUnit::kParagraph) == Pieces{"a\nb|\n\n", "c|"});
    CHECK(units_of("\n\na\n \t\r\n\u3000\n  b\nc\n\n", SpanUnit::kParagraph) ==
          Pieces{"a|\n \t\r\n\u3000\n", "  b\nc|\n\n"});
    CHECK(units_of("a\r\n\r\nb\r\n", SpanUnit::kParagraph) == Pieces{"a|\r\n\r\n", "b|\r\n"});
    CHECK(units_of("a\n  ", SpanUnit::kParagraph) == Pieces{"a|\n  "});
}

TEST_CASE("units: length counts characters without the white space around") {
    CHECK(dedup::trimmed_characters("") == 0);
    CHECK(dedup::trimmed_characters(" \t\u3000") == 0);
    CHECK(dedup::trimmed_characters("  a b\t") == 3);
    CHECK(dedup::trimmed_characters("\u00a0\u4e2d\u6587 \U0001F600\u2003") == 4);
}

TEST_CASE("units: equality is that of normalised texts, or of bytes") {
    dedup::UnitHasher normalised(false), exact(true);
    CHECK(normalised.hash("Page 12 of 30!") == normalised.hash("page 7, of  400"));
    CHECK(normalised.hash("Caf\u00e9") == normalised.hash("cafe"));
    CHECK(normalised.hash("some text") != normalised.hash("some other text"));
    // Nothing is left of these: they are themselves.
    CHECK(normalised.hash("-----") != normalised.hash("====="));
    CHECK(normalised.hash("-----") == normalised.hash("-----"));
    CHECK(normalised.hash("") != normalised.hash("---"));
    CHECK(exact.hash("Page") != exact.hash("page"));
    CHECK(exact.hash("page") == exact.hash("page"));
}

TEST_CASE("units: a last cut takes the line end before it") {
    CHECK(dedup::begin_of_last_cut("one\r\ntwo", SpanUnit::kLine, 5) == 3);
    CHECK(dedup::begin_of_last_cut("one\n\ntwo", SpanUnit::kParagraph, 5) == 3);
    CHECK(dedup::begin_of_last_cut("\n\ntwo", SpanUnit::kParagraph, 2) == 2);
    CHECK(dedup::begin_of_last_cut("two", SpanUnit::kLine, 0) == 0);
}

TEST_CASE("units: options that make no sense are refused") {
    dedup::SpanOptions options;
    options.unit = SpanUnit::kSubstring;
    dedup::complete(options);
    CHECK(options.min_length == 200);
    CHECK(options.is_exact);
    options.min_length = 7;
    CHECK_THROWS_AS(dedup::complete(options), UsageError);
    options.min_length = 40000;
    CHECK_THROWS_AS(dedup::complete(options), UsageError);
    options.min_length = 8;
    options.max_copies = 2;
    CHECK_THROWS_AS(dedup::complete(options), UsageError);
    options = {};
    dedup::complete(options);
    CHECK(options.min_length == 40);
    options.max_copies = 0;
    CHECK_THROWS_AS(dedup::complete(options), UsageError);
    options = {};
    options.common.reader.max_line_bytes = uint64_t{1} << 32;
    CHECK_THROWS_AS(dedup::complete(options), UsageError);
    CHECK_THROWS_AS(dedup::parse_span_unit("word"), UsageError);
}
