// SPDX-License-Identifier: BSD-3-Clause
// References in tests/data/dedup: signatures.tsv, datatrove's formula in numpy (make_reference.py),
// and presets.jsonl, all other programs (make_presets.py).
#include "lib/dedup/signature/minhash.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/dedup/signature/shingle.h"
#include "lib/io/json.h"
#include "tests/unit/dedup/draws.h"
#include "tests/unit/dedup/simd_targets.h"

using namespace longhaul;
using dedup::Family;
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

/// The permutation of a family, written plainly.
uint64_t permute(Family family, uint64_t x, uint64_t a, uint64_t b) {
    constexpr uint64_t kPrime = (uint64_t{1} << 61) - 1;
    const uint64_t low = x & 0xFFFFFFFF;
    switch (family) {
        case Family::kAffineHigh32:
            return (a * (x >> 32) + b) & 0xFFFFFFFF;
        case Family::kAffineLow32:
            return (a * low + b) & 0xFFFFFFFF;
        case Family::kMod61:
            return (a * x + b) % kPrime;
        case Family::kMod61Low32:
            return (a * low + b) % kPrime & 0xFFFFFFFF;
        case Family::kMod32:
            return ((a * low + b) & 0xFFFFFFFF) % 0xFFFFFFFBu;
        case Family::kMod16:
            return ((a * (x >> 48) + b) & 0xFFFF) % 0xFFF1u;
    }
    return 0;
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

TEST_CASE("minhash: minima of every SIMD target equal plain loops for any number of permutations") {
    Draws draw{1};
    std::vector<uint64_t> shingles(77);
    std::generate(shingles.begin(), shingles.end(), draw);
    for_each_simd_target([&] {
        for (const Scheme scheme :
             {Scheme::kNative, Scheme::kDatatrove, Scheme::kSlimpajama, Scheme::kTextDedup,
              Scheme::kTextDedup32, Scheme::kTextDedup16, Scheme::kNemo}) {
            for (const int rows : {1, 3, 16, 17, 112, 113, 127, 240, 260, 300}) {
                CAPTURE(dedup::scheme_name(scheme));
                CAPTURE(rows);
                Parameters parameters = with_scheme(scheme);
                parameters.bands = 1;
                parameters.rows = rows;
                const MinHasher hasher(parameters);
                std::vector<uint64_t> signature(static_cast<size_t>(rows)), expected;
                hasher.sign(shingles, signature);
                for (size_t i = 0; i < signature.size(); ++i) {
                    uint64_t least = ~uint64_t{0};
                    for (const uint64_t x : shingles) {
                        least =
                            std::min(least, permute(dedup::family_of(scheme), x,
                                                    hasher.multipliers()[i], hasher.offsets()[i]));
                    }
                    expected.push_back(least);
                }
                CHECK(signature == expected);
            }
        }
    });
}

// Where a x + b is a multiple of the prime or just above one, the reduction is at its borders.
TEST_CASE("minhash: reductions are exact at the borders of the primes") {
    constexpr uint64_t kPrime = (uint64_t{1} << 61) - 1;
    const auto padded = static_cast<size_t>(dedup::detail::padded(1));
    const std::vector<uint64_t> ones(padded, 1), zeros(padded, 0);
    for_each_simd_target([&] {
        for (uint64_t near = 0; near < 9 * 20; ++near) {
            const uint64_t x = near / 20 * kPrime + near % 20 - 10;
            std::vector<uint64_t> minima(padded);
            dedup::detail::min_hash(dedup::Family::kMod61, {&x, 1}, std::span(ones),
                                    std::span(zeros), minima);
            CHECK(minima[0] == x % kPrime);
        }
    });
}

// The shortcut of minhash_low32_simd.cpp: sums near multiples of the prime and of 2^32, where its
// quotient is largest and its 32-bit numbers wrap, among other shingles and in many blocks.
TEST_CASE("minhash: datasketch's permutations are exact where sums wrap") {
    constexpr uint64_t kPrime = (uint64_t{1} << 61) - 1;
    const auto padded = static_cast<size_t>(dedup::detail::padded(1));
    Draws draw{3};
    for_each_simd_target([&] {
        for (int trial = 0; trial < 3000; ++trial) {
            // x = 0 gives b itself: near q * 2^61, its low half near 0 or 2^32.
            const uint64_t near = draw() % 24;
            const uint64_t offset = (draw() % 8) << 61 | (draw() % 4 == 0 ? 0 : draw() >> 35 << 32);
            const std::vector<uint64_t> a64(padded, draw() | 1), b64(padded, offset + near - 12);
            const std::vector<uint32_t> a32(a64.begin(), a64.end());
            std::vector<uint32_t> b32(b64.begin(), b64.end());
            for (uint32_t& b : b32) b += 8;
            std::vector<uint64_t> shingles(1 + draw() % 40), minima(padded);
            for (uint64_t& x : shingles) x = draw() % 3 == 0 ? draw() : draw() % 8;
            dedup::detail::min_hash_low32(shingles, {a64, b64, a32, b32}, minima);
            uint64_t least = ~uint64_t{0};
            for (const uint64_t x : shingles) {
                least = std::min(least, (a64[0] * (x & 0xFFFFFFFF) + b64[0]) % kPrime & 0xFFFFFFFF);
            }
            REQUIRE(minima[0] == least);
        }
    });
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

// text-dedup draws all a, then all b: the number of draws decides the values, not how many are
// used.
TEST_CASE("minhash: text-dedup's constants are those of all its permutations") {
    for (const char* scheme : {"text-dedup", "text-dedup-32", "text-dedup-16"}) {
        Parameters parameters = of_scheme(scheme);
        const MinHasher all(parameters);
        parameters.bands = parameters.rows = 10;
        const MinHasher some(parameters);
        REQUIRE(some.num_hashes() == 100);
        for (size_t i = 0; i < 100; ++i) {
            CHECK(some.multipliers()[i] == all.multipliers()[i]);
            CHECK(some.offsets()[i] == all.offsets()[i]);
        }
        parameters.permutations = 100;
        CHECK(MinHasher(parameters).offsets()[0] != all.offsets()[0]);
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
