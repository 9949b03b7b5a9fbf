// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/json_cut.h"

#include <vector>

#include <doctest/doctest.h>

#include "lib/corpus/document_scanner.h"

using namespace longhaul::corpus;

namespace {

std::string cut(std::string_view stored, const std::vector<TextSpan>& cuts) {
    std::string out;
    append_cut_json_string(stored, cuts, out);
    return out;
}

/// Offsets of all code points of a text, and its end.
std::vector<uint64_t> borders_of(std::string_view text) {
    std::vector<uint64_t> borders;
    for (size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) borders.push_back(i);
    }
    borders.push_back(text.size());
    return borders;
}

}  // namespace

TEST_CASE("cut: every kind of escape counts as what it is decoded to") {
    struct Row {
        std::string stored;
        std::vector<TextSpan> cuts;
        std::string expected;
    };
    const Row table[] = {
        {"plain text", {}, "plain text"},
        {"plain text", {{0, 6}}, "text"},
        {"plain text", {{5, 10}}, "plain"},
        {"plain text", {{0, 10}}, ""},
        {"plain text", {{1, 2}, {3, 5}, {9, 10}}, "pa tex"},
        {R"(a\nb\tc)", {{1, 2}}, R"(ab\tc)"},
        {R"(a\nb\tc)", {{2, 4}}, R"(a\nc)"},
        {R"(\"\\\/\b\f\n\r\t)", {{0, 1}, {2, 3}, {4, 5}, {6, 7}}, R"(\\\b\n\t)"},
        {R"(\u0041\u00e9\u20ac\uD83D\ude00!)", {{0, 1}}, R"(\u00e9\u20ac\uD83D\ude00!)"},
        {R"(\u0041\u00e9\u20ac\uD83D\ude00!)", {{1, 3}}, R"(\u0041\u20ac\uD83D\ude00!)"},
        {R"(\u0041\u00e9\u20ac\uD83D\ude00!)", {{3, 6}}, R"(\u0041\u00e9\uD83D\ude00!)"},
        {R"(\u0041\u00e9\u20ac\uD83D\ude00!)", {{6, 10}}, R"(\u0041\u00e9\u20ac!)"},
        {R"(a\u0000b)", {{1, 2}}, "ab"},
        {R"(a\u0000b)", {{0, 1}}, R"(\u0000b)"},
        {R"(a\\nb)", {{2, 3}}, R"(a\\b)"},
        {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80!", {{2, 5}}, "\xC3\xA9\xF0\x9F\x98\x80!"},
        // A lone surrogate is U+FFFD to readers: three bytes.
        {R"(x\ud800y\udc00z)", {{4, 5}}, R"(x\ud800\ufffdz)"},
        {R"(x\ud800y\udc00z)", {{1, 4}}, R"(xy\udc00z)"},
        {R"(x\ud800y\udc00z)", {{5, 8}}, R"(x\ud800yz)"},
        {R"(\ud800\n\ud801\udc00)", {{3, 4}}, R"(\ud800\ud801\udc00)"},
        {R"(\ud800ab\udc00)", {{3, 4}, {4, 5}}, R"(\ud800\ufffd)"},
    };
    for (const Row& row : table) {
        CAPTURE(row.stored);
        CHECK(cut(row.stored, row.cuts) == row.expected);
    }
}

TEST_CASE("cut: what is read from the result is the decoded text without the cuts") {
    const std::string stored =
        R"(A\u00e9 \ud83d\ude00\ud83d x \udc00\n\\u0041\"\ud800\ud800\udc00 )"
        "\xF0\x9F\x98\x80\xE4\xB8\xAD\\/end";
    DocumentScanner scanner(Layout::kJsonLines);
    const std::string text(scanner.scan("{\"text\":\"" + stored + "\"}").text);
    const std::vector<uint64_t> borders = borders_of(text);
    for (size_t i = 0; i < borders.size(); ++i) {
        for (size_t j = i + 1; j < borders.size(); ++j) {
            for (size_t k = j; k < borders.size(); ++k) {
                const std::vector<TextSpan> cuts =
                    k + 1 < borders.size() ? std::vector<TextSpan>{{borders[i], borders[j]},
                                                                   {borders[k], borders[k + 1]}}
                                           : std::vector<TextSpan>{{borders[i], borders[j]}};
                std::string expected = text;
                for (auto span = cuts.rbegin(); span != cuts.rend(); ++span) {
                    expected.erase(span->begin, span->end - span->begin);
                }
                const std::string line = "{\"text\":\"" + cut(stored, cuts) + "\"}";
                const ScanResult result = scanner.scan(line);
                REQUIRE(result.reason == Reason::kNone);
                REQUIRE(result.text == expected);
            }
        }
    }
}

TEST_CASE("scanner: says where the text is stored") {
    DocumentScanner scanner(Layout::kJsonLines);
    const std::string line = R"( {"a":1,"text" : "x\ny","b":"text"} )";
    const ScanResult result = scanner.scan(line);
    CHECK(result.text == "x\ny");
    CHECK(result.stored == R"(x\ny)");
    CHECK(result.stored.data() == line.data() + line.find(R"(x\ny)"));
    DocumentScanner plain(Layout::kTextLines);
    const std::string with_return = "abc\r";
    CHECK(plain.scan(with_return).stored.data() == with_return.data());
    CHECK(plain.scan(with_return).stored.size() == 3);
}
