// SPDX-License-Identifier: BSD-3-Clause
#include "lib/corpus/utf8_repair.h"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "lib/base/philox.h"
#include "lib/corpus/document_scanner.h"
#include "lib/text/unicode.h"

using namespace longhaul;
using namespace std::string_view_literals;

namespace {

std::string repaired(std::string_view text, uint64_t count) {
    std::string out;
    CHECK(corpus::append_repaired_utf8(text, out) == count);
    return out;
}

}  // namespace

// Unicode 16.0, tables 3-8 to 3-11, with R for U+FFFD.
TEST_CASE("utf8 repair: a replacement for each maximal subpart") {
    const std::string r = "\xEF\xBF\xBD";
    CHECK(repaired("plain \xC3\xA9 \xF0\x9F\x98\x80", 0) == "plain \xC3\xA9 \xF0\x9F\x98\x80");
    CHECK(repaired("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"sv, 8) ==
          r + r + r + r + r + r + r + r + "A");
    CHECK(repaired("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"sv, 8) ==
          r + r + r + r + r + r + r + r + "A");
    CHECK(repaired("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"sv, 7) ==
          r + r + r + r + r + "A" + r + r + "B");
    CHECK(repaired("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"sv, 4) == r + r + r + r + "A");
    CHECK(repaired("\xE1\x80"sv, 1) == r);
    CHECK(repaired("", 0).empty());
}

TEST_CASE("utf8 repair: the result is UTF-8, and what was UTF-8 stays") {
    for (uint64_t n = 0; n < 300; ++n) {
        std::string text;
        for (uint64_t i = 0; i < 40; ++i) {
            const uint32_t draw = philox_draw({1, RandomPurpose::kTest, n, 0}, i).word[0];
            text += static_cast<char>((draw & 0x300) == 0 ? draw & 0x7F : draw | 0x80);
        }
        std::string out;
        const uint64_t count = corpus::append_repaired_utf8(text, out);
        CHECK(text::is_valid_utf8(out));
        CHECK((count == 0) == text::is_valid_utf8(text));
        CHECK((count == 0) == (out == text));
    }
}

TEST_CASE("document scanner: invalid UTF-8 is bad, or replaced and counted") {
    const std::string line = "{\"a\":\"\xFF\",\"text\":\"x\xE2\x82y\\n\"}";
    corpus::DocumentScanner strict(corpus::Layout::kJsonLines);
    CHECK(strict.scan(line).reason == corpus::Reason::kInvalidUtf8);
    corpus::DocumentScanner lenient(corpus::Layout::kJsonLines, "text",
                                    {corpus::InvalidUtf8::kReplace, false});
    const corpus::ScanResult result = lenient.scan(line);
    CHECK(result.reason == corpus::Reason::kNone);
    CHECK(result.text == "x\xEF\xBF\xBDy\n");
    CHECK(result.num_replaced == 2);
    CHECK(lenient.scan("{\"text\":\"fine\"}").num_replaced == 0);
    CHECK(lenient.scan("{\"text\":\xFF}").reason == corpus::Reason::kNotJson);
    corpus::DocumentScanner file(corpus::Layout::kTextFile, "",
                                 {corpus::InvalidUtf8::kReplace, false});
    CHECK(file.scan("a\x80").text == "a\xEF\xBF\xBD");
}

TEST_CASE("document scanner: bytes that are not UTF-8 kept as they are") {
    corpus::DocumentScanner scanner(corpus::Layout::kJsonLines, "text",
                                    {corpus::InvalidUtf8::kBytes, false});
    const auto scan = [&](const std::string& line) { return scanner.scan(line); };
    const std::string line =
        "{\"\xFE\":\"\xFF\",\"text\":\"x\xE2\x82y\\n\xED\xA0\x80\\ud83d\\ude00\"}";
    const corpus::ScanResult result = scan(line);
    CHECK(result.reason == corpus::Reason::kNone);
    CHECK(result.text == "x\xE2\x82y\n\xED\xA0\x80\U0001F600");
    CHECK(result.num_raw_bytes == 5);
    CHECK(result.num_replaced == 0);
    CHECK(scan("{\"text\":\"\xFF\"}").text == "\xFF");
    CHECK(scan("{\"text\":\"good\",\"a\":\"\xFF\"}").num_raw_bytes == 0);
    CHECK(scan("{\"text\":\xFF}").reason == corpus::Reason::kNotJson);
    CHECK(scan("{\"text\":\"\\\xFF\"}").reason == corpus::Reason::kNotJson);
    CHECK(scan("{\"te\xFFxt\":\"a\"}").reason == corpus::Reason::kMissingField);
    corpus::DocumentScanner lines(corpus::Layout::kTextLines, "",
                                  {corpus::InvalidUtf8::kBytes, false});
    CHECK(lines.scan("a\x80\r").text == "a\x80");
    CHECK(lines.scan("a\x80").num_raw_bytes == 1);
    // At every place of a vector.
    for (size_t i = 0; i < 100; ++i) {
        const std::string text = std::string(i, 'a') + "\xC3" + std::string(100 - i, 'b');
        CHECK(scan("{\"text\":\"" + text + "\\t\"}").text == text + "\t");
    }
}

TEST_CASE("document scanner: lone surrogates as bad records") {
    corpus::DocumentScanner scanner(corpus::Layout::kJsonLines, "text",
                                    {corpus::InvalidUtf8::kReplace, true});
    CHECK(scanner.scan("{\"text\":\"\\ud83d\\ude00\"}").text == "\U0001F600");
    const corpus::ScanResult lone = scanner.scan("{\"text\":\"a\\n\\ud83d\\ude00\\udc00\"}");
    CHECK(lone.reason == corpus::Reason::kLoneSurrogate);
    CHECK(lone.byte == 24);
    CHECK(lone.num_lone_surrogates == 0);
    CHECK(scanner.scan("{\"text\":\"\\ud800x\"}").byte == 9);
    CHECK(scanner.scan("{\"text\":\"\xFF\\ud800\"}").reason == corpus::Reason::kLoneSurrogate);
    CHECK(scanner.scan("{\"a\":\"\\ud800\",\"text\":\"x\"}").reason == corpus::Reason::kNone);
}
