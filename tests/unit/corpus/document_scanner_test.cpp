// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/document_scanner.h"

#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/simd_targets.h"

using longhaul::corpus::DocumentScanner;
using longhaul::corpus::Layout;
using longhaul::corpus::Reason;
using longhaul::corpus::ScanResult;
using longhaul::test::for_each_simd_target;

namespace {

struct Good {
    std::string line;
    std::string text;
};
struct Bad {
    std::string line;
    Reason reason;
    uint64_t byte;
};

std::string nested(int depth) {
    return R"({"a":)" + std::string(static_cast<size_t>(depth), '[') +
           std::string(static_cast<size_t>(depth), ']') + R"(,"text":"x"})";
}

}  // namespace

TEST_CASE("scanner: the text of good records") {
    const Good table[] = {
        {R"({"text":"hello"})", "hello"},
        {R"(  { "id" : 1 , "text" : "" }  )"
         "\r",
         ""},
        {R"({"text":"a\"b\\c\/d\b\f\n\r\t"})", "a\"b\\c/d\b\f\n\r\t"},
        {R"({"text":"\u0041\u00e9\u20ac\ud83d\ude00"})", "A\u00e9\u20ac\U0001F600"},
        {R"({"t\u0065xt":"escaped key"})", "escaped key"},
        {R"({"a":[1,-2.5e+10,0,{"text":"inner"}],"text":"outer","b":null})", "outer"},
        {R"({"a":true,"b":false,"text":"0123456789abcdef\n0123456789abcdef"})",
         "0123456789abcdef\n0123456789abcdef"},
        {"{\"text\":\"\u4e2d\u6587\U0001F600\"}", "\u4e2d\u6587\U0001F600"},
        {"{\"text\":\"a\x7f\"}", "a\x7f"},
        {nested(longhaul::corpus::kMaxDepth - 1), "x"},
    };
    DocumentScanner scanner(Layout::kJsonLines);
    for (const Good& row : table) {
        CAPTURE(row.line);
        const ScanResult result = scanner.scan(row.line);
        CHECK(result.reason == Reason::kNone);
        CHECK(result.text == row.text);
        CHECK_FALSE(result.is_blank);
    }
}

TEST_CASE("scanner: an escaped NUL stays in the text") {
    DocumentScanner scanner(Layout::kJsonLines);
    const ScanResult result = scanner.scan(R"({"text":"a\u0000b"})");
    CHECK(result.reason == Reason::kNone);
    CHECK(result.text == std::string_view("a\0b", 3));
}

TEST_CASE("scanner: lone surrogates become U+FFFD and are counted") {
    DocumentScanner scanner(Layout::kJsonLines);
    const ScanResult result = scanner.scan(R"({"text":"\ud800x\udc00\ud83d\ud83d\ude00"})");
    CHECK(result.reason == Reason::kNone);
    CHECK(result.text == "\uFFFDx\uFFFD\uFFFD\U0001F600");
    CHECK(result.num_lone_surrogates == 3);
}

TEST_CASE("scanner: bad records have a reason and a place") {
    const Bad table[] = {
        {"{", Reason::kNotJson, 1},
        {"nothing", Reason::kNotJson, 0},
        {R"({"text":"a"} x)", Reason::kNotJson, 13},
        {R"({"text":"a"}{"text":"b"})", Reason::kNotJson, 12},
        {R"({"text":"a",})", Reason::kNotJson, 12},
        {R"({"text":"a" "b":1})", Reason::kNotJson, 12},
        {R"({"text" "a"})", Reason::kNotJson, 8},
        {R"({'text':"a"})", Reason::kNotJson, 1},
        {R"({"text":"cut)", Reason::kNotJson, 12},
        {R"({"text":"cut\)", Reason::kNotJson, 12},
        {R"({"text":"\q"})", Reason::kNotJson, 9},
        {R"({"text":"\u12g4"})", Reason::kNotJson, 9},
        {"{\"text\":\"a\tb\"}", Reason::kNotJson, 10},
        {std::string("{\"text\":\"a\0b\"}", 14), Reason::kNotJson, 10},
        {R"({"n":01,"text":"a"})", Reason::kNotJson, 6},
        {R"({"n":1.,"text":"a"})", Reason::kNotJson, 7},
        {R"({"n":-,"text":"a"})", Reason::kNotJson, 6},
        {R"({"n":1e,"text":"a"})", Reason::kNotJson, 7},
        {R"({"n":NaN,"text":"a"})", Reason::kNotJson, 5},
        {R"({"n":[1,],"text":"a"})", Reason::kNotJson, 8},
        {R"({"n":tru,"text":"a"})", Reason::kNotJson, 5},
        {R"("text")", Reason::kNotObject, 0},
        {R"([{"text":"a"}])", Reason::kNotObject, 0},
        {"17", Reason::kNotObject, 0},
        {"{}", Reason::kMissingField, 0},
        {R"({"Text":"a","b":{"text":"c"}})", Reason::kMissingField, 0},
        {R"({"text":null})", Reason::kNotString, 8},
        {R"({"text":["a"]})", Reason::kNotString, 8},
        {R"({"text":"a","text":"a"})", Reason::kDuplicateField, 12},
        {R"({"text":"a","text":"a")", Reason::kNotJson, 22},
        {"{\"text\":\"\xff\"}", Reason::kInvalidUtf8, 9},
        {"{\"text\":\"ok\",\"b\":\"\xe4\xb8\"}", Reason::kInvalidUtf8, 18},
        {"{\"text\":\"\xed\xa0\x80\"}", Reason::kInvalidUtf8, 9},
        {"{\"text\":\"\xc0\x80\"}", Reason::kInvalidUtf8, 9},
        {"{\"text\":\"\xf4\x90\x80\x80\"}", Reason::kInvalidUtf8, 9},
        {nested(longhaul::corpus::kMaxDepth), Reason::kTooDeep,
         5 + longhaul::corpus::kMaxDepth - 1},
    };
    DocumentScanner scanner(Layout::kJsonLines);
    for (const Bad& row : table) {
        CAPTURE(row.line);
        const ScanResult result = scanner.scan(row.line);
        CHECK(result.reason == row.reason);
        CHECK(result.byte == row.byte);
    }
}

TEST_CASE("scanner: every cut of a good record is bad") {
    const std::string line = R"({"a":[1,{"b":"\u00e9\n"}],"text":"x\ud83d\ude00","c":-1.5e3})";
    DocumentScanner scanner(Layout::kJsonLines);
    for (size_t length = 1; length < line.size(); ++length) {
        CAPTURE(length);
        CHECK(scanner.scan(line.substr(0, length)).reason == Reason::kNotJson);
    }
}

TEST_CASE("scanner: blank lines are no records, other fields can hold the text") {
    DocumentScanner scanner(Layout::kJsonLines, "content");
    CHECK(scanner.scan("").is_blank);
    CHECK(scanner.scan(" \t\r").is_blank);
    CHECK(scanner.scan(R"({"text":"a","content":"b"})").text == "b");
}

TEST_CASE("scanner: plain text") {
    DocumentScanner lines(Layout::kTextLines);
    CHECK(lines.scan("a {line}\r").text == "a {line}");
    CHECK(lines.scan(" ").is_blank);
    CHECK(lines.scan("ab\xff").reason == Reason::kInvalidUtf8);
    CHECK(lines.scan("ab\xff").byte == 2);
    DocumentScanner file(Layout::kTextFile);
    CHECK(file.scan("one\ntwo\r\n").text == "one\ntwo\r\n");
    CHECK_FALSE(file.scan("").is_blank);
}

namespace {

/// A long string as JSON may write it, and what it stands for.
struct Written {
    std::string json, text;
};

Written write_randomly(std::mt19937& random, size_t num_pieces) {
    static const std::vector<Written> pieces = {
        {"plain ascii text of some length, and more of it",
         "plain ascii text of some length, and more of it"},
        {"x", "x"},
        {"\\n", "\n"},
        {"\\\"", "\""},
        {"\\\\", "\\"},
        {"\\/", "/"},
        {"\\u00e9", "\u00e9"},
        {"\\ud83d\\ude00", "\U0001F600"},
        {"\u4e2d\u6587", "\u4e2d\u6587"},
        {"\u00e9", "\u00e9"},
        {"\U0001F600", "\U0001F600"},
    };
    Written written;
    for (size_t i = 0; i < num_pieces; ++i) {
        const Written& piece = pieces[random() % pieces.size()];
        written.json += piece.json;
        written.text += piece.text;
    }
    return written;
}

}  // namespace

TEST_CASE("scanner: long strings with escapes and other scripts at every place of a vector") {
    for_each_simd_target([](const std::string& target) {
        CAPTURE(target);
        std::mt19937 random(5);
        DocumentScanner scanner(Layout::kJsonLines);
        for (int round = 0; round < 1000; ++round) {
            const Written written = write_randomly(random, random() % 60);
            const std::string line =
                R"({"id":")" + written.json + R"(","text":")" + written.json + R"("})";
            CAPTURE(line);
            const ScanResult result = scanner.scan(line);
            REQUIRE(result.reason == Reason::kNone);
            REQUIRE(result.text == written.text);
        }
    });
}

TEST_CASE("scanner: faults are found at every place of a long string") {
    for_each_simd_target([](const std::string& target) {
        CAPTURE(target);
        std::mt19937 random(6);
        DocumentScanner scanner(Layout::kJsonLines);
        const std::vector<std::pair<std::string, Reason>> faults = {
            {"\x01", Reason::kNotJson},     {"\\x", Reason::kNotJson},
            {"\\u12g4", Reason::kNotJson},  {"\xff", Reason::kInvalidUtf8},
            {"\xc3", Reason::kInvalidUtf8}, {"\xed\xa0\x80", Reason::kInvalidUtf8},
        };
        for (int round = 0; round < 1000; ++round) {
            const std::string before = R"({"text":")" + write_randomly(random, random() % 40).json;
            const auto& [fault, reason] = faults[random() % faults.size()];
            const std::string line =
                before + fault + write_randomly(random, random() % 40).json + R"("})";
            CAPTURE(line);
            const ScanResult result = scanner.scan(line);
            REQUIRE(result.reason == reason);
            REQUIRE(result.byte == before.size());
        }
    });
}
