// SPDX-License-Identifier: BSD-3-Clause
// Whole runs over small corpora, compared with brute force over all pairs.
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/base/philox.h"
#include "lib/dedup/dedup_minhash.h"
#include "lib/dedup/signature/shingle.h"
#include "lib/io/atomic_file.h"
#include "lib/io/file.h"
#include "lib/io/json.h"
#include "lib/log/log.h"
#include "tests/support/temp_dir.h"

using namespace longhaul;

namespace {

/// A stream of numbers for one test.
struct Numbers {
    uint64_t next_element = 0;
    uint64_t below(uint64_t bound) {
        return philox_draw({11, RandomPurpose::kTest, 3, 0}, next_element++).word[0] % bound;
    }
    std::string word(const char* prefix) {
        std::string text = prefix;
        for (int i = 0; i < 3; ++i) text += static_cast<char>('a' + below(26));
        return text;
    }
};

/// Documents of 40 to 240 words; about half are edited copies of an earlier one.
std::vector<std::string> make_corpus(size_t count) {
    std::vector<std::vector<std::string>> documents;
    Numbers numbers;
    for (size_t i = 0; i < count; ++i) {
        std::vector<std::string> words;
        if (i > 0 && numbers.below(2) == 0) {
            words = documents[numbers.below(i)];
            for (uint64_t edits = numbers.below(1 + words.size() / 15); edits > 0; --edits) {
                words[numbers.below(words.size())] = numbers.word("edit");
            }
        } else {
            const uint64_t length = 40 + numbers.below(200);
            for (uint64_t k = 0; k < length; ++k) words.push_back(numbers.word("w"));
        }
        documents.push_back(words);
    }
    std::vector<std::string> texts;
    for (const auto& words : documents) {
        std::string text;
        for (const std::string& word : words) text += word + " ";
        texts.push_back(text);
    }
    return texts;
}

std::string to_jsonl(const std::vector<std::string>& texts) {
    std::string lines;
    for (const std::string& text : texts) lines += io::to_line({{"text", text}}) + "\n";
    return lines;
}

struct Removed {
    uint64_t row, match;
    std::string reason;
    double jaccard;
};

std::vector<Removed> read_removals(const std::filesystem::path& path) {
    std::vector<Removed> removals;
    std::istringstream lines(io::read_text_file(path));
    for (std::string line; std::getline(lines, line);) {
        const io::Json json = io::parse_json(line, "list");
        if (!json.contains("match_row")) continue;
        removals.push_back({json["row"], json["match_row"], json["reason"], json["jaccard"]});
    }
    return removals;
}

struct Fixture {
    test::TempDir dir;
    dedup::Options options;

    explicit Fixture(const std::string& content) {
        log::init("dedup-minhash", log::Level::kError);
        io::write_file_atomically(dir / "in.jsonl", content);
        options.inputs = {(dir / "in.jsonl").string()};
        options.output = (dir / "out.jsonl").string();
        options.removal_list = (dir / "list.jsonl").string();
        options.memory_bytes = 1ull << 30;
        options.reader.max_line_bytes = 1 << 20;
        options.tmp_dir = dir.path().string();
        options.progress = false;
        options.is_forced = true;
    }
    std::string output() const { return io::read_text_file(dir / "out.jsonl"); }
    std::vector<Removed> removals() const { return read_removals(dir / "list.jsonl"); }
};

std::vector<std::vector<uint64_t>> sets_of(const std::vector<std::string>& texts,
                                           const dedup::Parameters& parameters) {
    dedup::Shingler shingler(parameters);
    std::vector<std::vector<uint64_t>> sets;
    for (const std::string& text : texts) {
        shingler.load(text);
        const auto set = shingler.shingle_set();
        sets.emplace_back(set.begin(), set.end());
    }
    return sets;
}

}  // namespace

TEST_CASE("removal: precision is 1 and recall is the S-curve's, against all pairs") {
    const std::vector<std::string> texts = make_corpus(1500);
    Fixture fixture(to_jsonl(texts));
    dedup::run(fixture.options);
    const auto sets = sets_of(texts, fixture.options.parameters);
    const double threshold = fixture.options.parameters.threshold;

    std::map<uint64_t, uint64_t> removed;
    for (const Removed& removal : fixture.removals()) removed[removal.row] = removal.match;
    std::set<std::string> kept_lines;
    double expected_found = 0, found = 0;
    for (uint64_t i = 0; i < texts.size(); ++i) {
        double best = 0;  // with any earlier document that stays
        for (uint64_t k = 0; k < i; ++k) {
            if (!removed.contains(k)) best = std::max(best, dedup::jaccard(sets[i], sets[k]));
        }
        if (removed.contains(i)) {
            REQUIRE(removed[i] < i);
            CHECK_FALSE(removed.contains(removed[i]));
            CHECK(dedup::jaccard(sets[i], sets[removed[i]]) >= threshold);
            ++found;
        }
        if (best >= threshold) {
            // At least this likely: other kept documents add to it.
            expected_found += dedup::candidate_probability(best, 14, 8);
        }
    }
    MESSAGE("found " << found << ", the S-curve expects at least " << expected_found);
    CHECK(found > 250);
    CHECK(found >= expected_found - 4 * std::sqrt(expected_found));
    CHECK(fixture.removals().size() == removed.size());
}

TEST_CASE("removal: same bytes for any number of threads, with little memory too") {
    const std::string content = to_jsonl(make_corpus(25000));
    Fixture fixture(content);
    fixture.options.threads = 1;
    dedup::run(fixture.options);
    const std::string output = fixture.output();
    const std::string list = io::read_text_file(fixture.options.removal_list);
    CHECK(output.size() < content.size());
    for (const int threads : {2, 3}) {
        CAPTURE(threads);
        fixture.options.threads = threads;
        fixture.options.report = (fixture.dir / "report.json").string();
        if (threads == 3) {
            fixture.options.reader.max_line_bytes = 64 << 10;
            fixture.options.memory_bytes = 29ull << 20;
        }
        dedup::run(fixture.options);
        CHECK(fixture.output() == output);
        CHECK(io::read_text_file(fixture.options.removal_list) == list);
        const io::Json report = io::read_json_file(fixture.options.report);
        CHECK((report["spilled_bytes"].get<uint64_t>() > 0) == (threads == 3));
    }
}

TEST_CASE("removal: short documents go only when equal") {
    std::vector<std::string> texts(100, "Page not found 404");
    texts.insert(texts.end(), {"Page was found here", "No page found here", "One two three four"});
    texts.insert(texts.end(), {"", "", "!!!", "???", "!!!", "a", "b", "A"});
    Fixture fixture(to_jsonl(texts));
    dedup::run(fixture.options);
    const std::vector<std::string> expected{"Page not found 404",
                                            "Page was found here",
                                            "No page found here",
                                            "One two three four",
                                            "",
                                            "!!!",
                                            "???",
                                            "a",
                                            "b"};
    CHECK(fixture.output() == to_jsonl(expected));
}

TEST_CASE("removal: an exact copy of a removed document is listed under the one that stays") {
    std::string base, edited;
    for (int i = 0; i < 200; ++i) {
        base +=
            format("word{} ", static_cast<char>('a' + i % 26)) + std::string(1 + i / 26, 'x') + " ";
    }
    edited = base + "and one more end";
    Fixture fixture(to_jsonl({base, edited, edited, base}));
    dedup::run(fixture.options);
    CHECK(fixture.output() == to_jsonl({base}));
    const std::vector<Removed> removals = fixture.removals();
    REQUIRE(removals.size() == 3);
    for (const Removed& removal : removals) CHECK(removal.match == 0);
    CHECK(removals[0].reason == "near");
    CHECK(removals[1].reason == "exact");
    CHECK(removals[1].jaccard == removals[0].jaccard);
    CHECK(removals[2].jaccard == 1);
}

TEST_CASE("removal: star removal keeps what is far from the kept one, --transitive does not") {
    // Each document shares 90 % of its words with the one before, so the last is far from the
    // first.
    std::vector<std::string> words;
    for (int i = 0; i < 400; ++i)
        words.push_back(format("w{:c}{:c}{:c}", 'a' + i / 100, 'a' + i / 10 % 10, 'a' + i % 10));
    std::vector<std::string> texts;
    for (size_t first = 0; first + 200 <= words.size(); first += 10) {
        std::string text;
        for (size_t i = first; i < first + 200; ++i) text += words[i] + " ";
        texts.push_back(text);
    }
    Fixture fixture(to_jsonl(texts));
    dedup::run(fixture.options);
    const size_t num_star = fixture.removals().size();
    for (const Removed& removal : fixture.removals()) CHECK(removal.jaccard >= .75);
    CHECK(num_star > 0);
    fixture.options.parameters.is_transitive = true;
    dedup::run(fixture.options);
    CHECK(fixture.removals().size() > num_star);
    bool has_far = false;
    for (const Removed& removal : fixture.removals()) has_far = has_far || removal.jaccard < .5;
    CHECK(has_far);
}

TEST_CASE("removal: all equal and all different") {
    std::vector<std::string> equal(5000, make_corpus(1)[0]);
    Fixture same(to_jsonl(equal));
    dedup::run(same.options);
    CHECK(same.output() == to_jsonl({equal[0]}));

    std::vector<std::string> different;
    Numbers numbers;
    for (uint64_t i = 0; i < 200; ++i) {
        std::string text;
        for (uint64_t k = 0; k < 60; ++k) text += numbers.word("x") + " ";
        different.push_back(text);
    }
    Fixture other(to_jsonl(different));
    dedup::run(other.options);
    CHECK(other.output() == to_jsonl(different));
    CHECK(other.removals().empty());
}

TEST_CASE("removal: a group of one hot key costs linear work") {
    // 3000 documents that share half of their shingles: many false candidates in one group.
    std::string common;
    Numbers numbers;
    for (int i = 0; i < 120; ++i) common += format("c{:c}{:c} ", 'a' + i / 26, 'a' + i % 26);
    std::vector<std::string> texts;
    for (uint64_t i = 0; i < 3000; ++i) {
        std::string text = common;
        for (uint64_t k = 0; k < 60; ++k) text += numbers.word("z") + " ";
        texts.push_back(text);
    }
    Fixture fixture(to_jsonl(texts));
    fixture.options.report = (fixture.dir / "report.json").string();
    dedup::run(fixture.options);
    const io::Json report = io::read_json_file(fixture.options.report);
    const auto compared = report["candidates"]["compared_pairs"].get<uint64_t>();
    CHECK(report["candidates"]["largest_group"].get<uint64_t>() > 100);
    CHECK(compared < texts.size() * 14 * 16);
}
