// SPDX-License-Identifier: BSD-3-Clause
#include "lib/tensor/box.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

using namespace longhaul::tensor;

namespace {

/// Global row-major index of each element of a slice, in storage order: the definition itself.
std::vector<int64_t> global_indices(const Shape& shape, const Slice& slice) {
    std::vector<int64_t> all;
    for (int64_t position = slice.first; position < slice.first + slice.count; ++position) {
        int64_t rest = position;
        std::vector<int64_t> index(shape.size());
        for (size_t d = shape.size(); d-- > 0;) {
            index[d] = slice.box.offset[d] + rest % slice.box.extent[d];
            rest /= slice.box.extent[d];
        }
        int64_t global = 0;
        for (size_t d = 0; d < shape.size(); ++d) global = global * shape[d] + index[d];
        all.push_back(global);
    }
    return all;
}

Slice random_slice(const Shape& shape, std::mt19937& random) {
    const auto below = [&](int64_t n) {
        return std::uniform_int_distribution<int64_t>(0, n - 1)(random);
    };
    Slice slice;
    for (const int64_t extent : shape) {
        const int64_t offset = below(extent);
        slice.box.offset.push_back(offset);
        slice.box.extent.push_back(1 + below(extent - offset));
    }
    const int64_t total = slice.box.num_elements();
    slice.first = below(total);
    slice.count = 1 + below(total - slice.first);
    return slice;
}

}  // namespace

TEST_CASE("box: copy runs of random slices equal an element by element search") {
    std::mt19937 random(7);
    const Shape shapes[] = {{}, {17}, {5, 7}, {3, 4, 5}, {2, 3, 1, 4}, {1, 1}};
    for (int round = 0; round < 3000; ++round) {
        const Shape& shape = shapes[static_cast<size_t>(round) % 6];
        const Slice source = random_slice(shape, random);
        const Slice destination = random_slice(shape, random);
        std::map<int64_t, int64_t> position_of_global;
        const auto source_indices = global_indices(shape, source);
        for (size_t i = 0; i < source_indices.size(); ++i) {
            position_of_global[source_indices[i]] = static_cast<int64_t>(i);
        }
        std::vector<std::pair<int64_t, int64_t>> wanted;  // (destination, source)
        const auto destination_indices = global_indices(shape, destination);
        for (size_t i = 0; i < destination_indices.size(); ++i) {
            const auto found = position_of_global.find(destination_indices[i]);
            if (found != position_of_global.end()) {
                wanted.emplace_back(static_cast<int64_t>(i), found->second);
            }
        }
        std::vector<std::pair<int64_t, int64_t>> got;
        int64_t last_end = -1;
        for (const CopyRun& run : copy_runs(source, destination)) {
            CHECK(run.count > 0);
            CHECK(run.destination_index >= last_end);
            last_end = run.destination_index + run.count;
            for (int64_t i = 0; i < run.count; ++i) {
                got.emplace_back(run.destination_index + i, run.source_index + i);
            }
        }
        REQUIRE(got == wanted);
        REQUIRE(num_common(source, destination) == static_cast<int64_t>(wanted.size()));
    }
}

TEST_CASE("box: a cut of whole rows is one run") {
    const Box left{{0, 0}, {8, 16}};
    const Box rows{{4, 0}, {4, 16}};
    CHECK(copy_runs(Slice::whole(left), Slice::whole(rows)) == std::vector<CopyRun>{{64, 0, 64}});
}

TEST_CASE("box: positions_of is the hull of the common elements") {
    const Box box{{0, 4}, {6, 4}};
    CHECK(positions_of(Slice::whole({{2, 5}, {2, 2}}), box) == Range{9, 6});
    CHECK(positions_of(Slice::whole({{0, 0}, {6, 4}}), box) == Range{});
}

TEST_CASE("box: disjoint boxes have no intersection") {
    CHECK_FALSE(intersect(Box{{0}, {4}}, Box{{4}, {4}}));
    CHECK(*intersect(Box{{0}, {5}}, Box{{4}, {4}}) == Box{{4}, {1}});
}

TEST_CASE("box: even splits are contiguous, complete and differ by one at most") {
    for (const int64_t total : {0, 1, 7, 24, 101}) {
        for (const int64_t parts : {1, 2, 3, 5, 30}) {
            int64_t next = 0;
            for (int64_t i = 0; i < parts; ++i) {
                const Range part = split_evenly(total, parts, i);
                CHECK(part.first == next);
                CHECK(part.count >= total / parts);
                CHECK(part.count <= total / parts + 1);
                next += part.count;
            }
            CHECK(next == total);
        }
    }
}
