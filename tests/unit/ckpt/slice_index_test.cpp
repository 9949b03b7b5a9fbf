// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/slice_index.h"

#include <doctest/doctest.h>

#include <random>
#include <set>

#include "lib/base/error.h"

using namespace longhaul;
using namespace longhaul::ckpt;
using tensor::Box;
using tensor::Slice;

namespace {

/// Cuts a box by random planes, then each part into ranges: a tiling that is no grid.
void random_tiling(const Box& box, int depth, std::mt19937& random, std::vector<Slice>& tiles) {
    const auto below = [&](int64_t n) {
        return std::uniform_int_distribution<int64_t>(0, n - 1)(random);
    };
    const auto axis = static_cast<size_t>(below(static_cast<int64_t>(box.extent.size())));
    if (depth == 0 || box.extent[axis] < 2) {
        const int64_t parts = 1 + below(3);
        for (int64_t i = 0; i < parts; ++i) {
            const auto range = tensor::split_evenly(box.num_elements(), parts, i);
            if (range.count > 0) tiles.push_back({box, range.first, range.count});
        }
        return;
    }
    const int64_t cut = 1 + below(box.extent[axis] - 1);
    Box low = box;
    Box high = box;
    low.extent[axis] = cut;
    high.offset[axis] += cut;
    high.extent[axis] -= cut;
    random_tiling(low, depth - 1, random, tiles);
    random_tiling(high, depth - 1, random, tiles);
}

std::vector<Slice> tiling(const tensor::Shape& shape, std::mt19937& random) {
    std::vector<Slice> tiles;
    random_tiling(Box::whole(shape), 4, random, tiles);
    std::shuffle(tiles.begin(), tiles.end(), random);
    return tiles;
}

}  // namespace

TEST_CASE("slice index: random tilings cover, and every overlap is found") {
    std::mt19937 random(3);
    const tensor::Shape shapes[] = {{64}, {13, 17}, {5, 8, 9}};
    for (int round = 0; round < 200; ++round) {
        const tensor::Shape& shape = shapes[round % 3];
        const auto sources = tiling(shape, random);
        const auto targets = tiling(shape, random);
        const SliceIndex index(sources);
        CHECK_NOTHROW(check_cover("t", shape, index));
        for (const Slice& target : targets) {
            std::set<uint32_t> found;
            index.overlapping(target, [&](uint32_t number) { CHECK(found.insert(number).second); });
            int64_t total = 0;
            for (uint32_t i = 0; i < sources.size(); ++i) {
                const int64_t common = tensor::num_common(sources[i], target);
                total += common;
                if (common > 0) CHECK(found.count(i) == 1);
            }
            CHECK(total == target.count);
        }
    }
}

TEST_CASE("slice index: a hole, an overlap and a doubled slice are found wherever they are") {
    std::mt19937 random(5);
    for (int round = 0; round < 100; ++round) {
        const tensor::Shape shape{13, 17};
        auto tiles = tiling(shape, random);
        const auto victim = static_cast<size_t>(round) % tiles.size();
        auto hole = tiles;
        hole.erase(hole.begin() + static_cast<ptrdiff_t>(victim));
        CHECK_THROWS_AS(check_cover("t", shape, SliceIndex(hole)), DataError);
        auto twice = tiles;
        twice.push_back(tiles[victim]);
        CHECK_THROWS_AS(check_cover("t", shape, SliceIndex(twice)), DataError);
        auto moved = tiles;  // still the right number of elements
        if (moved[victim].box.offset[0] > 0 && tiles.size() > 1) {
            moved[victim].box.offset[0] -= 1;
            CHECK_THROWS_AS(check_cover("t", shape, SliceIndex(moved)), DataError);
        }
    }
}

TEST_CASE("slice index: a pinwheel, which no plane can split, is accepted") {
    const std::vector<Slice> pinwheel = {
        Slice::whole({{0, 0}, {1, 2}}), Slice::whole({{0, 2}, {2, 1}}),
        Slice::whole({{2, 1}, {1, 2}}), Slice::whole({{1, 0}, {2, 1}}),
        Slice::whole({{1, 1}, {1, 1}})};
    CHECK_NOTHROW(check_cover("t", {3, 3}, SliceIndex(pinwheel)));
}

TEST_CASE("slice index: scalars and empty tensors") {
    const std::vector<Slice> scalar = {Slice::whole(Box{})};
    CHECK_NOTHROW(check_cover("t", {}, SliceIndex(scalar)));
    CHECK_NOTHROW(check_cover("t", {0, 4}, SliceIndex({})));
    CHECK_THROWS_AS(check_cover("t", {2}, SliceIndex({})), DataError);
}
