// SPDX-License-Identifier: BSD-3-Clause
// Claims of equal hashes that the bytes refute: they can not be made from texts, so they are fed.
#include "lib/dedup/spans/match_verifier.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/temp_dir.h"

using namespace longhaul;
using dedup::Cut;
using dedup::JoinedMatch;
using dedup::Packed48;

namespace {

struct Span {
    uint64_t id, begin, end;
    bool operator==(const Span&) const = default;
};

struct Fixture {
    test::TempDir dir;
    dedup::SpillArea area{dir.path().string()};
    dedup::TextStore store{area};
    dedup::SpanFindings findings{area};

    /// Feeds (place, source, length); places count in all texts together.
    std::vector<Span> cuts_of(const std::vector<std::string>& texts,
                              const std::vector<std::vector<uint64_t>>& matches,
                              uint64_t min_length) {
        for (size_t i = 0; i < texts.size(); ++i) store.add(10 + i, texts[i]);
        store.finish();
        dedup::MatchVerifier verifier(min_length, store, area, 1 << 16);
        for (const auto& match : matches) {
            verifier.add({{Packed48(match[0]), Packed48(match[1]), Packed48(match[2])}}, findings);
        }
        verifier.finish(findings);
        findings.cuts.rewind();
        std::vector<Span> cuts;
        for (Cut cut; findings.cuts.next(cut);)
            cuts.push_back({cut.id.value(), cut.begin, cut.end});
        return cuts;
    }
};

}  // namespace

TEST_CASE("verifier: nothing goes that is not equal byte for byte") {
    Fixture fixture;
    CHECK(fixture.cuts_of({"abcdefghij", "abcdXfghij"}, {{10, 0, 10}}, 5) ==
          std::vector<Span>{{11, 5, 10}});
    CHECK(fixture.findings.unequal_bytes == 1);

    Fixture short_rest;
    CHECK(short_rest.cuts_of({"abcdefghij", "abcdXfghiX"}, {{10, 0, 10}}, 5).empty());
    CHECK(short_rest.findings.unequal_bytes == 2);

    Fixture two_parts;
    CHECK(two_parts.cuts_of({"abcdefghij", "abcdXfghij"}, {{10, 0, 10}}, 3) ==
          std::vector<Span>{{11, 0, 4}, {11, 5, 10}});
}

TEST_CASE("verifier: matches are joined inside a document, never across documents") {
    Fixture fixture;
    const std::vector<std::string> texts{"abcdefghij", "abcdefgh", "ghijabcd"};
    CHECK(fixture.cuts_of(texts, {{10, 0, 8}, {18, 6, 4}, {22, 0, 4}}, 4) ==
          std::vector<Span>{{11, 0, 8}, {12, 0, 8}});
    CHECK(fixture.findings.unequal_bytes == 0);
}

TEST_CASE("verifier: what goes already is not claimed twice") {
    Fixture fixture;
    const std::vector<std::string> texts{"abcdefghij", "cdefghij", "abcdefghij"};
    // The second match adds two bytes, for which it is compared where it ends; the third none.
    CHECK(fixture.cuts_of(texts, {{18, 0, 8}, {20, 10, 8}, {21, 3, 4}}, 4) ==
          std::vector<Span>{{12, 0, 10}});
    REQUIRE(fixture.findings.frequent.size() == 2);
    CHECK(fixture.findings.frequent[0].removed_bytes == 8);
    CHECK(fixture.findings.frequent[1].removed_bytes == 2);
}

TEST_CASE("verifier: a long match is compared in pieces") {
    Fixture fixture;
    std::string text;
    for (uint64_t i = 0; i < 300'000; ++i) text += static_cast<char>('a' + i * i % 23);
    std::string other = text;
    other[200'000] = '!';
    const uint64_t size = text.size();
    CHECK(fixture.cuts_of({text, other}, {{size, 0, size}}, 100) ==
          std::vector<Span>{{11, 0, 200'000}, {11, 200'001, size}});
}
