// SPDX-License-Identifier: BSD-3-Clause
#include "lib/shards/best_fit.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "lib/base/error.h"
#include "lib/base/philox.h"

using namespace longhaul;
using namespace longhaul::shards;

namespace {

std::vector<uint64_t> random_offsets(size_t count, uint64_t longest, uint32_t number) {
    std::vector<uint64_t> offsets{0};
    for (size_t i = 0; i < count; ++i) {
        const auto draw = philox_draw({5, RandomPurpose::kTest, number, 0}, i);
        const uint64_t length = draw.word[0] % (draw.word[1] % 20 == 0 ? longest * 3 : longest);
        offsets.push_back(offsets.back() + length);
    }
    return offsets;
}

}  // namespace

TEST_CASE("best fit: every token once, no short document cut, no sample over its size") {
    for (const auto& [count, capacity] :
         {std::pair<size_t, uint64_t>{1, 10}, {500, 64}, {3000, 16}, {40, 1}, {2000, 1000}}) {
        const auto offsets = random_offsets(count, capacity + 1, static_cast<uint32_t>(count));
        if (offsets.back() == 0) continue;
        const BestFitPlan plan(offsets, capacity);
        std::vector<int> seen(offsets.back(), 0);
        uint64_t tokens = 0;
        for (uint64_t sample = 0; sample < plan.num_samples(); ++sample) {
            std::vector<Piece> pieces;
            plan.append_pieces(sample, pieces);
            uint64_t of_sample = 0;
            for (const Piece& piece : pieces) {
                of_sample += piece.count;
                for (uint64_t i = 0; i < piece.count; ++i) ++seen[piece.first_token + i];
                const auto next =
                    std::upper_bound(offsets.begin(), offsets.end(), piece.first_token);
                const uint64_t document_begin = *(next - 1), document_end = *next;
                const bool ends_document = piece.first_token + piece.count == document_end;
                REQUIRE(piece.first_token + piece.count <= document_end);
                REQUIRE(piece.is_cut == !ends_document);
                if (document_end - document_begin <= capacity) {
                    REQUIRE(piece.first_token == document_begin);
                    REQUIRE(ends_document);
                }
            }
            REQUIRE(of_sample <= capacity);
            tokens += of_sample;
        }
        CHECK(tokens == offsets.back());
        CHECK(plan.num_tokens() == tokens);
        CHECK(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
    }
}

TEST_CASE("best fit: little room is left, and the result is always the same") {
    const auto offsets = random_offsets(20000, 900, 1);
    const BestFitPlan plan(offsets, 1024), again(offsets, 1024);
    const double filled =
        static_cast<double>(offsets.back()) / static_cast<double>(plan.num_samples() * 1024);
    CHECK(filled > 0.98);
    REQUIRE(plan.num_samples() == again.num_samples());
    for (uint64_t sample = 0; sample < plan.num_samples(); sample += 7) {
        std::vector<Piece> one, two;
        plan.append_pieces(sample, one);
        again.append_pieces(sample, two);
        REQUIRE(one == two);
    }
}

TEST_CASE("best fit: the longest first, each into the fullest sample that has room") {
    // Lengths 3, 5, 2, 4, 25, 0, 6 and room for 10: 25 gives two whole samples and 5.
    const std::vector<uint64_t> offsets = {0, 3, 8, 10, 14, 39, 39, 45};
    const BestFitPlan plan(offsets, 10);
    std::vector<std::vector<Piece>> samples;
    for (uint64_t i = 0; i < plan.num_samples(); ++i) {
        samples.emplace_back();
        plan.append_pieces(i, samples.back());
    }
    const std::vector<std::vector<Piece>> expected = {
        {{14, 10, true, true, false}},
        {{24, 10, true, true, true}},
        {{39, 6, false, true, false}, {10, 4, false, true, false}},
        {{3, 5, false, true, false}, {34, 5, false, true, true}},
        {{0, 3, false, true, false}, {8, 2, false, true, false}}};
    CHECK(samples == expected);
    CHECK_THROWS_AS(BestFitPlan(std::vector<uint64_t>{0, 0}, 10), UsageError);
}
