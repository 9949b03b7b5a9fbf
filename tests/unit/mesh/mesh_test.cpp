// SPDX-License-Identifier: BSD-3-Clause
#include "lib/mesh/mesh.h"

#include <doctest/doctest.h>

#include <set>

#include "lib/base/error.h"

namespace longhaul::mesh {
namespace {

TEST_CASE("mesh: tp is innermost, pp outermost") {
    const Mesh mesh({.tp = 2, .pp = 3, .cp = 1, .ep = 1, .dp_replicate = 1, .dp_shard = 4}, 24);
    CHECK(mesh.group({Axis::kTp}, 5) == std::vector<int>{4, 5});
    CHECK(mesh.group({Axis::kPp}, 5) == std::vector<int>{5, 13, 21});
    CHECK(mesh.group({Axis::kDpShard}, 5) == std::vector<int>{1, 3, 5, 7});
    CHECK(mesh.index_in_group({Axis::kDpShard}, 5) == 2);
}

TEST_CASE("mesh: rank_at inverts coord; groups of an axis partition the ranks") {
    const Mesh mesh({.tp = 2, .pp = 2, .cp = 3, .ep = 4, .dp_replicate = 2, .dp_shard = 2}, 48);
    for (int rank = 0; rank < 48; ++rank) CHECK(mesh.rank_at(mesh.coord(rank)) == rank);
    for (int i = 0; i < kNumAxes; ++i) {
        const auto axis = static_cast<Axis>(i);
        std::multiset<int> seen;
        for (int rank = 0; rank < 48; ++rank) {
            const auto group = mesh.group({axis}, rank);
            CHECK(static_cast<int>(group.size()) == mesh.size(axis));
            if (group.front() == rank) seen.insert(group.begin(), group.end());
        }
        CHECK(seen.size() == 48);
        CHECK(std::set<int>(seen.begin(), seen.end()).size() == 48);
    }
}

TEST_CASE("mesh: a group of two axes is ascending and complete") {
    const Mesh mesh({.tp = 2, .pp = 1, .cp = 1, .ep = 1, .dp_replicate = 2, .dp_shard = 3}, 12);
    CHECK(mesh.group({Axis::kDpReplicate, Axis::kDpShard}, 3) ==
          std::vector<int>{1, 3, 5, 7, 9, 11});
}

TEST_CASE("mesh: the sparse view shares pp and dp_replicate with the dense one") {
    const Mesh mesh({.tp = 2, .pp = 2, .cp = 1, .ep = 4, .dp_replicate = 2, .dp_shard = 4}, 32);
    CHECK(mesh.size(Axis::kExpertDp) == 2);
    CHECK(mesh.group({Axis::kEp}, 5) == std::vector<int>{4, 5, 6, 7});
    CHECK(mesh.group({Axis::kExpertDp}, 5) == std::vector<int>{1, 5});
    CHECK(mesh.group({Axis::kExpertDp, Axis::kEp}, 9) ==
          mesh.group({Axis::kDpShard, Axis::kCp, Axis::kTp}, 9));
}

TEST_CASE("mesh: the free size is derived, misfits are named") {
    const Mesh mesh({.tp = 2, .pp = 1, .cp = 1, .ep = 1, .dp_replicate = 1, .dp_shard = 0}, 6);
    CHECK(mesh.size(Axis::kDpShard) == 3);
    const auto message = [](MeshSizes sizes, int world) -> std::string {
        try {
            const Mesh built(sizes, world);
        } catch (const UsageError& error) {
            return error.describe();
        }
        return "";
    };
    CHECK(message({.tp = 2, .dp_shard = 2}, 8) ==
          "8 ranks are not tp=2 pp=1 cp=1 dp_replicate=1 "
          "dp_shard=2: their product is 4");
    CHECK(message({.tp = 3, .dp_shard = 0}, 8).find("cannot be divided") != std::string::npos);
    CHECK(message({.dp_replicate = 0, .dp_shard = 0}, 8).find("both free") != std::string::npos);
    CHECK(message({.ep = 3, .dp_shard = 4}, 4).find("parallel.ep") != std::string::npos);
}

}  // namespace
}  // namespace longhaul::mesh
