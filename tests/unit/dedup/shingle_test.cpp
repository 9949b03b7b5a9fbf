// SPDX-License-Identifier: BSD-3-Clause
#include "lib/dedup/signature/shingle.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace longhaul;
using dedup::jaccard;
using dedup::Shingler;

namespace {

std::vector<uint64_t> shingles_of(const std::string& text, int ngram = 3,
                                  dedup::Scheme scheme = dedup::Scheme::kNative) {
    dedup::Parameters parameters;
    parameters.ngram = ngram;
    parameters.scheme = scheme;
    Shingler shingler(parameters);
    shingler.load(text);
    const auto shingles = shingler.shingles();
    return {shingles.begin(), shingles.end()};
}

Hash128 exact_hash_of(const std::string& text) {
    Shingler shingler(dedup::Parameters{});
    shingler.load(text);
    return shingler.exact_hash();
}

}  // namespace

TEST_CASE("shingles: one for each run of n words, equal runs equal, order matters") {
    for (const auto scheme : {dedup::Scheme::kNative, dedup::Scheme::kDatatrove}) {
        const auto shingles = shingles_of("a b c a b c", 3, scheme);
        REQUIRE(shingles.size() == 4);
        CHECK(shingles[0] == shingles[3]);
        CHECK(shingles[0] != shingles[1]);
        CHECK(shingles_of("c b a", 3, scheme)[0] != shingles[0]);
        CHECK(shingles_of("A, b; C!", 3, scheme)[0] == shingles[0]);
        CHECK(shingles_of("a b", 3, scheme).empty());
        CHECK(shingles_of("", 3, scheme).empty());
    }
}

TEST_CASE("shingles: words of every length have hashes of their own") {
    std::vector<uint64_t> all;
    std::string word;
    for (int length = 1; length < 60; ++length) {
        word += static_cast<char>('a' + length % 3);
        all.push_back(shingles_of(word, 1).at(0));
        all.push_back(shingles_of(word + "z", 1).at(0));
    }
    std::sort(all.begin(), all.end());
    CHECK(std::unique(all.begin(), all.end()) == all.end());
}

TEST_CASE("shingles: code points of scripts without spaces are words") {
    CHECK(shingles_of("\u4e2d\u6587\u5b57\u7b26", 3).size() == 2);
    CHECK(shingles_of("\u4e2d\u6587\u5b57", 3) == shingles_of("\u4e2d \u6587 \u5b57", 3));
}

TEST_CASE("exact hash: equal normalised text is equal, other text is not") {
    CHECK(exact_hash_of("Page not found: 404") == exact_hash_of("page  not found 12"));
    CHECK(exact_hash_of("Page not found") != exact_hash_of("Page was not found"));
    CHECK(exact_hash_of("") == exact_hash_of(""));
    CHECK(exact_hash_of("!!!") == exact_hash_of("!!!"));
    CHECK(exact_hash_of("!!!") != exact_hash_of("???"));
    CHECK(exact_hash_of("!!!") != exact_hash_of(""));
}

TEST_CASE("jaccard: of sorted sets") {
    const std::vector<uint64_t> a{1, 2, 3, 4}, b{2, 3, 4, 5}, none;
    CHECK(jaccard(a, b) == 3.0 / 5);
    CHECK(jaccard(a, a) == 1);
    CHECK(jaccard(a, none) == 0);
    CHECK(jaccard(none, none) == 0);
    CHECK(jaccard(a, b, .6) == 3.0 / 5);
    CHECK(jaccard(a, b, .61) < .61);
}

TEST_CASE("jaccard: the early exit never changes a result at or above the threshold") {
    std::vector<uint64_t> a, b;
    for (uint64_t i = 0; i < 3000; ++i) {
        if (i % 10 != 0) a.push_back(i);
        if (i % 7 != 0) b.push_back(i);
    }
    const double exact = jaccard(a, b);
    for (double at_least = 0; at_least <= 1; at_least += .01) {
        const double found = jaccard(a, b, at_least);
        CHECK((exact >= at_least ? found == exact : found < at_least));
    }
    CHECK(jaccard(a, b, exact) == exact);
}
