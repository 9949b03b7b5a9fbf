// SPDX-License-Identifier: BSD-3-Clause
// Whole runs of `spans` over small corpora, compared with brute force.
#include "lib/dedup/spans/spans.h"

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/base/philox.h"
#include "lib/io/atomic_file.h"
#include "lib/io/file.h"
#include "lib/io/json.h"
#include "lib/log/log.h"
#include "tests/support/temp_dir.h"

using namespace longhaul;
using dedup::SpanUnit;

namespace {

using Texts = std::vector<std::string>;

struct Numbers {
    uint64_t seed = 0;
    uint64_t next_element = 0;
    uint64_t below(uint64_t bound) {
        return philox_draw({seed, RandomPurpose::kTest, 6, 0}, next_element++).word[0] % bound;
    }
};

/// Lines from a small stock with every kind of character and line end.
Texts make_texts(Numbers& numbers, size_t count) {
    const Texts characters{"a",  "b",      " ",      "\"",         "\\",
                           "\t", "\u00e9", "\u4e2d", "\U0001F600", std::string(1, '\0')};
    const Texts ends{"\n", "\r\n", "\r", "\n\n", ""};
    Texts stock;
    for (int i = 0; i < 60; ++i) {
        std::string line;
        for (uint64_t k = numbers.below(14); k > 0; --k) line += characters[numbers.below(10)];
        stock.push_back(line);
    }
    Texts texts;
    for (size_t i = 0; i < count; ++i) {
        std::string text;
        for (uint64_t lines = numbers.below(6); lines > 0; --lines) {
            text += stock[numbers.below(stock.size())] + ends[numbers.below(ends.size())];
        }
        texts.push_back(text);
    }
    return texts;
}

std::string to_jsonl(const Texts& texts) {
    std::string lines;
    for (const std::string& text : texts) lines += io::to_line({{"text", text}}) + "\n";
    return lines;
}

Texts texts_of(const std::string& jsonl) {
    Texts texts;
    std::istringstream lines(jsonl);
    for (std::string line; std::getline(lines, line);) {
        texts.push_back(io::parse_json(line, "output")["text"]);
    }
    return texts;
}

struct Fixture {
    test::TempDir dir;
    dedup::SpanOptions options;

    Fixture(const std::string& content, SpanUnit unit, uint64_t min_length) {
        log::init("dedup-minhash", log::Level::kError);
        io::write_file_atomically(dir / "in.jsonl", content);
        options.unit = unit;
        options.min_length = min_length;
        dedup::Options& common = options.common;
        common.inputs = {(dir / "in.jsonl").string()};
        common.output = (dir / "out.jsonl").string();
        common.removal_list = (dir / "list.jsonl").string();
        common.memory_bytes = 1ull << 30;
        common.reader.max_line_bytes = 1 << 20;
        common.tmp_dir = dir.path().string();
        common.progress = false;
        common.is_forced = true;
    }
    std::string run() {
        dedup::complete(options);
        dedup::run_spans(options);
        return io::read_text_file(dir / "out.jsonl");
    }
    std::string list() const { return io::read_text_file(dir / "list.jsonl"); }
};

/// Lines with their ends; a line without is the last.
Texts lines_of(const std::string& text) {
    Texts lines;
    std::string line;
    for (size_t i = 0; i < text.size(); ++i) {
        line += text[i];
        const bool is_end =
            text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'));
        if (!is_end) continue;
        lines.push_back(line);
        line.clear();
    }
    if (!line.empty()) lines.push_back(line);
    return lines;
}

/// Exact lines of at least `min_bytes` bytes (ASCII without white space around) that were seen.
Texts remove_lines(const Texts& texts, size_t min_bytes) {
    std::set<std::string> seen;
    Texts kept;
    for (const std::string& text : texts) {
        std::string rest, open_end;
        bool has_removed_last = false;
        for (const std::string& line : lines_of(text)) {
            const std::string content = line.substr(0, line.find_last_not_of("\r\n") + 1);
            has_removed_last = content.size() >= min_bytes && !seen.insert(content).second;
            if (has_removed_last && content.size() == line.size()) {
                rest.resize(rest.size() - open_end.size());  // no line end where there was none
            }
            if (has_removed_last) continue;
            rest += line;
            open_end = line.substr(content.size());
        }
        if (!rest.empty() || text.empty()) kept.push_back(rest);
    }
    return kept;
}

}  // namespace

TEST_CASE("spans: exact lines equal to brute force") {
    Numbers numbers{1};
    Texts texts;
    const Texts ends{"\n", "\r\n", ""};
    for (int i = 0; i < 400; ++i) {
        std::string text;
        for (uint64_t k = numbers.below(7); k > 0; --k) {
            const uint64_t word = numbers.below(300);
            text += (word % 5 == 0 ? "}" : format("line {} x", word)) +
                    ends[k == 1 ? numbers.below(3) : k % 2];
        }
        texts.push_back(text);
    }
    Fixture fixture(to_jsonl(texts), SpanUnit::kLine, 5);
    fixture.options.is_exact = true;
    fixture.options.min_document = 0;
    const Texts kept = texts_of(fixture.run());
    REQUIRE(kept.size() == texts.size());
    Texts filled;  // --min-document 0 drops nothing
    for (size_t i = 0; i < kept.size(); ++i) {
        if (!kept[i].empty() || texts[i].empty()) filled.push_back(kept[i]);
    }
    CHECK(filled == remove_lines(texts, 5));
}

TEST_CASE("spans: the list names exactly what is gone, in decoded bytes") {
    Numbers numbers{2};
    for (const SpanUnit unit : {SpanUnit::kLine, SpanUnit::kParagraph, SpanUnit::kSubstring}) {
        CAPTURE(static_cast<int>(unit));
        const Texts texts = make_texts(numbers, 500);
        Fixture fixture(to_jsonl(texts), unit, unit == SpanUnit::kSubstring ? 8 : 3);
        fixture.options.is_empty_kept = true;
        const Texts kept = texts_of(fixture.run());
        REQUIRE(kept.size() == texts.size());
        Texts expected = texts;
        std::istringstream lines(fixture.list());
        size_t num_listed = 0;
        for (std::string line; std::getline(lines, line); ++num_listed) {
            const io::Json entry = io::parse_json(line, "list");
            CHECK(entry["reason"] == "cut");
            const io::Json& spans = entry["spans"];
            std::string& text = expected[entry["row"].get<size_t>()];
            for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
                const size_t begin = (*span)[0], end = (*span)[1];
                REQUIRE(begin < end);
                REQUIRE(end <= text.size());
                text.erase(begin, end - begin);
            }
        }
        CHECK(num_listed > 50);
        CHECK(kept == expected);
    }
}

TEST_CASE("spans: same bytes for any number of threads, with little memory too") {
    Numbers numbers{3};
    const std::string content = to_jsonl(make_texts(numbers, 60000));
    for (const SpanUnit unit : {SpanUnit::kLine, SpanUnit::kSubstring}) {
        CAPTURE(static_cast<int>(unit));
        Fixture fixture(content, unit, unit == SpanUnit::kSubstring ? 24 : 6);
        fixture.options.common.report = (fixture.dir / "report.json").string();
        const std::string output = fixture.run(), list = fixture.list();
        CHECK(output.size() < content.size());
        for (const int threads : {2, 3}) {
            fixture.options.common.threads = threads;
            if (threads == 3) {
                fixture.options.common.reader.max_line_bytes = 16 << 10;
                fixture.options.common.memory_bytes = 27ull << 20;
            }
            CHECK(fixture.run() == output);
            CHECK(fixture.list() == list);
        }
        const io::Json report = io::read_json_file(fixture.options.common.report);
        CHECK(report["spilled_bytes"].get<uint64_t>() > 0);
    }
}

TEST_CASE("spans: copies beyond --max-copies go, short documents are dropped") {
    const std::string footer = "All rights reserved by the authors of this page.";
    Texts texts;
    for (const char* const word : {"first", "second", "third", "fourth"}) {
        texts.push_back(format("The {} document is about something else.\n{}", word, footer));
    }
    texts.push_back(footer + "\nx");
    Fixture fixture(to_jsonl(texts), SpanUnit::kLine, 0);
    fixture.options.max_copies = 2;
    fixture.options.min_document = 2;
    const Texts expected{texts[0], texts[1], "The third document is about something else.",
                         "The fourth document is about something else."};
    CHECK(texts_of(fixture.run()) == expected);
    fixture.options.is_empty_kept = true;
    CHECK(texts_of(fixture.run()).back() == "x");
}

TEST_CASE("spans: substrings are cut between characters") {
    // Equal bytes begin inside of a character: U+4E2D and U+4F2D end in the same byte.
    const std::string shared = "0123456789 abcdefghij";
    Fixture fixture(to_jsonl({"\u4e2d" + shared + "\u00e9", "\u4f2d" + shared + "\u00e8!"}),
                    SpanUnit::kSubstring, 10);
    CHECK(texts_of(fixture.run()) == Texts{"\u4e2d" + shared + "\u00e9", "\u4f2d\u00e8!"});
}

TEST_CASE("spans: no documents, empty texts and one huge line") {
    Fixture none("", SpanUnit::kLine, 0);
    CHECK(none.run().empty());
    Fixture empty(to_jsonl({"", "", ""}), SpanUnit::kSubstring, 0);
    CHECK(empty.run() == to_jsonl({"", "", ""}));
    Fixture huge(to_jsonl({std::string(900'000, 'a')}), SpanUnit::kSubstring, 200);
    CHECK(texts_of(huge.run()) == Texts{std::string(200, 'a')});
}
