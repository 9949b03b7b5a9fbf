// SPDX-License-Identifier: BSD-3-Clause
// References in tests/data/dedup: signatures.tsv, datatrove's formula in numpy (make_reference.py),
// and presets.jsonl, all other programs (make_presets.py).
#include "lib/dedup/minhash.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/base/philox.h"
#include "lib/dedup/shingle.h"
#include "lib/io/json.h"

using namespace longhaul;
using dedup::MinHasher;
using dedup::Parameters;
using dedup::Scheme;

namespace {

Parameters with_scheme(Scheme scheme) {
    Parameters parameters;
    parameters.scheme = scheme;
    return parameters;
}

/// The preset that has the scheme `name`, with that scheme.
Parameters of_scheme(const std::string& name) {
    for (const dedup::PresetInfo& preset : dedup::presets()) {
        Parameters parameters = dedup::preset_parameters(preset.name);
        try {
            parameters.scheme = dedup::parse_scheme(name, parameters.recipe);
            return parameters;
        } catch (const UsageError&) {  // another preset's
        }
    }
    FAIL("no preset has the scheme ", name);
    return {};
}

/// A sequence of well-mixed 64-bit numbers.
struct Draws {
    uint64_t stream;
    uint64_t next_element = 0;
    uint64_t operator()() {
        const PhiloxBlock block = philox_draw({7, RandomPurpose::kTest, stream, 0}, next_element++);
        return uint64_t{block.word[0]} << 32 | block.word[1];
    }
};

struct SetPair {
    std::vector<uint64_t> a, b;
};

/// Two sets whose union has `size` elements and whose Jaccard is `common` / `size`.
SetPair make_pair_of_sets(Draws& draw, int size, int common) {
    SetPair pair;
    for (int i = 0; i < size; ++i) {
        const uint64_t x = draw();
        if (i < common || i % 2 == 0) pair.a.push_back(x);
        if (i < common || i % 2 == 1) pair.b.push_back(x);
    }
    return pair;
}

}  // namespace

TEST_CASE("minhash: signatures equal datatrove's") {
    std::ifstream file(std::string(std::getenv("LONGHAUL_TEST_DATA")) + "/dedup/signatures.tsv");
    REQUIRE(file.is_open());
    int rows = 0;
    for (std::string line; std::getline(file, line); ++rows) {
        const size_t tab1 = line.find('\t');
        const size_t tab2 = line.find('\t', tab1 + 1);
        const auto text = io::parse_json(line.substr(0, tab1), "text").get<std::string>();
        const io::Json expected = io::parse_json(line.substr(tab2 + 1), "signature");
        Parameters parameters = with_scheme(Scheme::kDatatrove);
        parameters.ngram = std::stoi(line.substr(tab1 + 1, tab2 - tab1 - 1));
        CAPTURE(text);
        dedup::Shingler shingler(parameters);
        shingler.load(text);
        const std::span<const uint64_t> shingles = shingler.shingles();
        REQUIRE(shingles.empty() == expected.is_null());
        if (shingles.empty()) continue;
        const MinHasher hasher(parameters);
        std::vector<uint64_t> signature(112);
        hasher.sign(shingles, signature);
        CHECK(signature == expected.get<std::vector<uint64_t>>());
    }
    CHECK(rows >= 14);
}

TEST_CASE("minhash: every slot of every preset equals that of its program") {
    std::ifstream file(std::string(std::getenv("LONGHAUL_TEST_DATA")) + "/dedup/presets.jsonl");
    REQUIRE(file.is_open());
    std::map<std::string, int> compared;
    for (std::string line; std::getline(file, line);) {
        const io::Json row = io::parse_json(line, "presets.jsonl");
        const auto text = row["text"].get<std::string>();
        for (const io::Json& expected : row["signatures"]) {
            const auto scheme = expected["scheme"].get<std::string>();
            Parameters parameters = of_scheme(scheme);
            parameters.ngram = expected["ngram"].get<int>();
            parameters.rows = parameters.permutations = expected["permutations"].get<int>();
            parameters.bands = 1;
            CAPTURE(text);
            CAPTURE(scheme);
            CAPTURE(parameters.ngram);
            dedup::Shingler shingler(parameters);
            shingler.load(text);
            const std::span<const uint64_t> shingles = shingler.shingles();
            CHECK(shingles.empty() == expected["first"].is_null());
            if (shingles.empty() || expected["first"].is_null()) continue;
            std::vector<uint64_t> signature(static_cast<size_t>(parameters.rows));
            MinHasher(parameters).sign(shingles, signature);
            ++compared[scheme];
            const auto first = expected["first"].get<std::vector<uint64_t>>();
            CHECK(std::vector(signature.begin(), signature.begin() + ptrdiff_t(first.size())) ==
                  first);
            CHECK(xxh3_128(std::as_bytes(std::span(signature))).hex() ==
                  expected["xxh3_128"].get<std::string>());
        }
    }
    CHECK(compared.size() == 9);
    for (const auto& [scheme, count] : compared) CHECK_MESSAGE(count > 12, scheme);
}

TEST_CASE("minhash: SIMD minima equal plain loops for any number of permutations") {
    Draws draw{1};
    std::vector<uint64_t> shingles(77);
    std::generate(shingles.begin(), shingles.end(), draw);
    constexpr uint64_t kPrime = (uint64_t{1} << 61) - 1;
    for (const Scheme scheme : {Scheme::kNative, Scheme::kDatatrove}) {
        for (const int rows : {1, 3, 16, 17, 112, 113, 127, 300}) {
            CAPTURE(rows);
            Parameters parameters = with_scheme(scheme);
            parameters.bands = 1;
            parameters.rows = rows;
            const MinHasher hasher(parameters);
            std::vector<uint64_t> signature(static_cast<size_t>(rows)), expected;
            hasher.sign(shingles, signature);
            for (size_t i = 0; i < signature.size(); ++i) {
                const uint64_t a = hasher.multipliers()[i], b = hasher.offsets()[i];
                uint64_t least = ~uint64_t{0};
                for (const uint64_t x : shingles) {
                    const uint64_t h = scheme == Scheme::kNative
                                           ? static_cast<uint32_t>(a * (x >> 32) + b)
                                           : (a * x + b) % kPrime;
                    least = std::min(least, h);
                }
                expected.push_back(least);
            }
            CHECK(signature == expected);
        }
    }
}

TEST_CASE("minhash: native multipliers are odd and all permutations differ") {
    const MinHasher hasher(Parameters{});
    std::set<std::pair<uint64_t, uint64_t>> seen;
    for (size_t i = 0; i < hasher.multipliers().size(); ++i) {
        CHECK(hasher.multipliers()[i] % 2 == 1);
        seen.insert({hasher.multipliers()[i], hasher.offsets()[i]});
    }
    CHECK(seen.size() == 112);
}

// The share of equal values estimates the Jaccard index without bias and with variance J(1-J)/K,
// and bands hit as the S-curve says. Bounds: 4.5 standard errors of `trials` repetitions.
TEST_CASE("minhash: unbiased, of the variance of theory, and true to the S-curve") {
    constexpr int kTrials = 2000;
    for (const Scheme scheme : {Scheme::kNative, Scheme::kDatatrove}) {
        const Parameters parameters = with_scheme(scheme);
        const MinHasher hasher(parameters);
        const auto num_hashes = static_cast<double>(parameters.num_hashes());
        for (const int size : {12, 40, 200}) {
            for (const double wanted : {0.5, 0.7, 0.8, 0.9}) {
                const int common = static_cast<int>(std::lround(wanted * size));
                const double jaccard = static_cast<double>(common) / size;
                Draws draw{static_cast<uint64_t>(size * 100 + common)};
                double sum = 0, squares = 0, hits = 0;
                std::vector<uint64_t> a(112), b(112), keys_a(14), keys_b(14);
                for (int trial = 0; trial < kTrials; ++trial) {
                    const SetPair pair = make_pair_of_sets(draw, size, common);
                    hasher.sign(pair.a, a);
                    hasher.sign(pair.b, b);
                    int equal = 0;
                    for (size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1 : 0;
                    const double error = equal / num_hashes - jaccard;
                    sum += error;
                    squares += error * error;
                    hasher.band_keys(a, keys_a);
                    hasher.band_keys(b, keys_b);
                    bool is_hit = false;
                    for (size_t i = 0; i < keys_a.size(); ++i) is_hit |= keys_a[i] == keys_b[i];
                    hits += is_hit ? 1 : 0;
                }
                CAPTURE(dedup::scheme_name(scheme));
                CAPTURE(size);
                CAPTURE(jaccard);
                const double variance = jaccard * (1 - jaccard) / num_hashes;
                CHECK(std::abs(sum / kTrials) < 4.5 * std::sqrt(variance / kTrials));
                // Affine families stay within 20 % of the variance of ideal permutations
                // (measured: 0.87 to 1.09); a bad family has twice that.
                CHECK(squares / kTrials / variance > 0.75);
                CHECK(squares / kTrials / variance < 1.25);
                const double expected =
                    dedup::candidate_probability(jaccard, parameters.bands, parameters.rows);
                const double error = std::sqrt(expected * (1 - expected) / kTrials);
                CHECK(std::abs(hits / kTrials - expected) < 4.5 * error + 0.01);
            }
        }
    }
}

TEST_CASE("minhash: keys of different bands differ for equal rows") {
    Parameters parameters;
    parameters.bands = 2;
    parameters.rows = 4;
    const MinHasher hasher(parameters);
    const std::vector<uint64_t> signature{1, 2, 3, 4, 1, 2, 3, 4};
    std::vector<uint64_t> keys(2);
    hasher.band_keys(signature, keys);
    CHECK(keys[0] != keys[1]);
}
