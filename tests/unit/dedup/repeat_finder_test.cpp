// SPDX-License-Identifier: BSD-3-Clause
// Repeated substrings against brute force over all windows.
#include "lib/dedup/spans/repeat_finder.h"

#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lib/base/philox.h"
#include "tests/support/temp_dir.h"

using namespace longhaul;
using dedup::Cut;

namespace {

struct Numbers {
    uint64_t seed = 0;
    uint64_t next_element = 0;
    uint64_t below(uint64_t bound) {
        return philox_draw({seed, RandomPurpose::kTest, 5, 0}, next_element++).word[0] % bound;
    }
};

/// One flag for each byte of all texts: it goes.
using Flags = std::vector<bool>;

Flags brute_force(const std::vector<std::string>& texts, size_t length) {
    Flags flags;
    std::map<std::string, size_t> first;  // place of each window's first occurrence
    for (const std::string& text : texts) {
        const size_t begin = flags.size();
        flags.resize(begin + text.size());
        for (size_t i = 0; i + length <= text.size(); ++i) {
            const auto [entry, is_new] = first.emplace(text.substr(i, length), begin + i);
            if (is_new || begin + i - entry->second < length) continue;
            for (size_t k = 0; k < length; ++k) flags[begin + i + k] = true;
        }
    }
    return flags;
}

struct Found {
    Flags flags;
    bool is_in_order = true;
    dedup::SpanFindings findings;
    explicit Found(dedup::SpillArea& area) : findings(area) {}
};

void find(Found& found, const std::vector<std::string>& texts, size_t length,
          dedup::SpillArea& area, uint64_t sort_bytes = 1 << 20, int threads = 1) {
    const auto shape = dedup::SubstringShape::of(length);
    dedup::AnchorScanner scanner(shape);
    dedup::RepeatFinder finder(shape, area, sort_bytes, threads);
    std::vector<size_t> begins{0};
    for (size_t i = 0; i < texts.size(); ++i) {
        begins.push_back(begins.back() + texts[i].size());
        if (texts[i].size() < length) continue;
        std::vector<dedup::Anchor> anchors;
        std::vector<dedup::SelfRepeat> repeats;
        scanner.scan(texts[i], anchors, repeats);
        finder.add_text(i, texts[i], anchors, repeats);
    }
    finder.find(found.findings);
    found.flags.resize(begins.back());
    found.findings.cuts.rewind();
    Cut last;
    bool has_last = false;
    for (Cut cut; found.findings.cuts.next(cut);) {
        const bool is_behind = !has_last || cut.id.value() > last.id.value() ||
                               (cut.id.value() == last.id.value() && cut.begin > last.end);
        found.is_in_order = found.is_in_order && is_behind && cut.begin < cut.end;
        last = cut;
        has_last = true;
        for (uint32_t k = cut.begin; k < cut.end; ++k) {
            found.flags[begins[cut.id.value()] + k] = true;
        }
    }
}

/// Some texts that share passages, run into periods, or consist of one character.
std::vector<std::string> make_texts(Numbers& numbers) {
    std::vector<std::string> texts;
    std::string pool;  // of all texts so far, to copy from across their borders too
    const uint64_t alphabet = 1 + numbers.below(4);
    const uint64_t count = 1 + numbers.below(5);
    for (uint64_t i = 0; i < count; ++i) {
        std::string text;
        for (uint64_t parts = numbers.below(6); parts > 0; --parts) {
            const uint64_t size = numbers.below(60);
            const uint64_t kind = numbers.below(4);
            if (kind == 0 && !pool.empty()) {
                text += pool.substr(numbers.below(pool.size()), size);
            } else if (kind == 1) {
                std::string period;
                for (uint64_t k = 1 + numbers.below(7); k > 0; --k) {
                    period += static_cast<char>('a' + numbers.below(alphabet));
                }
                for (uint64_t k = 0; k < 2 * size; ++k) text += period[k % period.size()];
            } else {
                for (uint64_t k = 0; k < size; ++k) {
                    text += static_cast<char>('a' + numbers.below(alphabet));
                }
            }
        }
        pool += text;
        texts.push_back(text);
    }
    return texts;
}

}  // namespace

TEST_CASE("repeats: equal to brute force over thousands of small texts") {
    const test::TempDir dir;
    dedup::SpillArea area(dir.path().string());
    uint64_t num_going = 0, num_staying = 0;
    for (uint64_t seed = 0; seed < 2000; ++seed) {
        Numbers numbers{seed};
        const std::vector<std::string> texts = make_texts(numbers);
        const size_t length = 1 + numbers.below(seed % 3 == 0 ? 8 : 40);
        CAPTURE(seed);
        CAPTURE(length);
        Found found(area);
        find(found, texts, length, area);
        const Flags expected = brute_force(texts, length);
        REQUIRE(found.flags == expected);
        REQUIRE(found.is_in_order);
        REQUIRE(found.findings.unequal_bytes == 0);
        for (const bool goes : expected) ++(goes ? num_going : num_staying);
    }
    MESSAGE(num_going << " bytes go, " << num_staying << " stay");
    CHECK(num_going > 100000);
    CHECK(num_staying > 100000);
}

TEST_CASE("repeats: the same with sorters that spill") {
    const test::TempDir dir;
    dedup::SpillArea area(dir.path().string());
    Numbers numbers{77};
    std::vector<std::string> texts;
    for (int i = 0; i < 50; ++i) {
        for (std::string& text : make_texts(numbers)) texts.push_back(std::move(text));
    }
    for (const size_t length : {5, 20, 50}) {
        Found found(area), spilled(area);
        find(found, texts, length, area);
        find(spilled, texts, length, area, 1, 4);
        CHECK(found.flags == brute_force(texts, length));
        CHECK(spilled.flags == found.flags);
    }
}

TEST_CASE("repeats: the first copy stays, also where copies overlap") {
    const test::TempDir dir;
    dedup::SpillArea area(dir.path().string());
    struct Row {
        std::vector<std::string> texts;
        size_t length;
        std::vector<std::string> kept;
    };
    const std::string a9(9, 'a'), a10(10, 'a');
    const Row table[] = {
        {{"abcdefgh", "xabcdefghy"}, 8, {"abcdefgh", "xy"}},
        {{"abcdefg", "xabcdefgy"}, 8, {"abcdefg", "xabcdefgy"}},
        {{std::string(1000, 'a')}, 10, {a10}},
        {{std::string(19, 'a')}, 10, {std::string(19, 'a')}},
        {{std::string(20, 'a')}, 10, {a10}},
        {{"abcabcabcabc"}, 4, {"abcabc"}},
        // Across a border nothing counts: neither as a first copy nor as a later one.
        {{"abcd", "efgh", "abcdefgh"}, 8, {"abcd", "efgh", "abcdefgh"}},
        {{"abcdefgh", "abcd", "efgh"}, 8, {"abcdefgh", "abcd", "efgh"}},
        {{"same text here", "same text here"}, 8, {"same text here", ""}},
        {{"", "", ""}, 3, {"", "", ""}},
        {{std::string("\0\0\0\0\0\0", 6)}, 3, {std::string("\0\0\0", 3)}},
    };
    for (const Row& row : table) {
        CAPTURE(row.texts);
        Found found(area);
        find(found, row.texts, row.length, area);
        std::vector<std::string> kept;
        size_t place = 0;
        for (const std::string& text : row.texts) {
            std::string rest;
            for (const char c : text) {
                if (!found.flags[place++]) rest += c;
            }
            kept.push_back(rest);
        }
        CHECK(kept == row.kept);
    }
}

TEST_CASE("repeats: one character and one gram cost linear work") {
    const test::TempDir dir;
    dedup::SpillArea area(dir.path().string());
    Found one(area);
    find(one, {std::string(2'000'000, ' ')}, 200, area);
    CHECK(one.findings.num_anchors < 1000);
    CHECK(one.findings.num_windows < 1000);

    // A header of 300 bytes before 5000 texts: of each a few windows at the header's end.
    Numbers numbers{5};
    std::string header;
    for (int i = 0; i < 300; ++i) header += static_cast<char>('a' + numbers.below(26));
    std::vector<std::string> texts;
    for (int i = 0; i < 5000; ++i) {
        std::string text = header;
        for (int k = 0; k < 100; ++k) text += static_cast<char>('a' + numbers.below(26));
        texts.push_back(text);
    }
    Found many(area);
    find(many, texts, 200, area);
    CHECK(many.findings.num_windows < 5000 * 250);
    CHECK(many.findings.num_matches < 3 * 5000);
    REQUIRE_FALSE(many.findings.frequent.empty());
    CHECK(many.findings.frequent[0].num_removed == 4999);
    for (const int threads : {2, 3, 8}) {
        CAPTURE(threads);
        Found threaded(area);
        find(threaded, texts, 200, area, 1 << 20, threads);
        CHECK(threaded.flags == many.flags);
        CHECK(threaded.findings.num_windows == many.findings.num_windows);
        CHECK(threaded.findings.num_matches == many.findings.num_matches);
    }
}

TEST_CASE("anchors: every window holds one, and equal windows at the same offset") {
    for (uint64_t seed = 0; seed < 300; ++seed) {
        Numbers numbers{seed + 9000};
        std::string text;
        for (const std::string& part : make_texts(numbers)) text += part;
        const auto shape = dedup::SubstringShape::of(1 + numbers.below(30));
        std::vector<dedup::Anchor> anchors;
        std::vector<dedup::SelfRepeat> repeats;
        dedup::AnchorScanner(shape).scan(text, anchors, repeats);
        std::vector<bool> is_anchor(text.size()), is_told(text.size());
        for (const dedup::Anchor& anchor : anchors) is_anchor[anchor.at] = true;
        for (const dedup::SelfRepeat& repeat : repeats) {
            REQUIRE(repeat.distance >= shape.length);
            REQUIRE(text.substr(repeat.at, repeat.length) ==
                    text.substr(repeat.at - repeat.distance, repeat.length));
            for (size_t i = 0; i + shape.length <= repeat.length; ++i)
                is_told[repeat.at + i] = true;
        }
        std::map<std::string, std::vector<bool>> first;  // anchors of the first such window
        for (size_t i = 0; i + shape.length <= text.size(); ++i) {
            if (is_told[i]) continue;
            const auto inside = is_anchor.begin() + static_cast<ptrdiff_t>(i);
            std::vector<bool> mine(inside, inside + static_cast<ptrdiff_t>(shape.reach) + 1);
            CAPTURE(seed);
            const auto& theirs = first.emplace(text.substr(i, shape.length), mine).first->second;
            bool has_common = false;
            for (size_t k = 0; k < mine.size(); ++k) has_common |= mine[k] && theirs[k];
            REQUIRE(has_common);
        }
    }
}
