// SPDX-License-Identifier: BSD-3-Clause
#include "lib/parallel/bucket.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "lib/base/error.h"
#include "lib/comm/world.h"

namespace longhaul::parallel {
namespace {

using mesh::Axis;
using tensor::DType;

std::vector<ParamSpec> small_model() {
    std::vector<ParamSpec> specs;
    const auto add = [&](const char* name, tensor::Shape shape, int block) {
        ParamSpec spec;
        spec.name = spec.hf_name = name;
        spec.shape = std::move(shape);
        spec.block = block;
        specs.push_back(spec);
    };
    add("embed", {37, 5}, 0);
    add("a.weight", {7, 9}, 1);
    add("a.bias", {7}, 1);
    add("head", {3, 5}, 2);
    return specs;
}

struct RankSetup {
    std::unique_ptr<comm::Comm> shard, replica;
    BucketContext context;
};

RankSetup set_up(comm::Comm& world, const mesh::Mesh& mesh, std::span<const ParamSpec> specs,
                 DType compute, int zero) {
    RankSetup setup;
    const int rank = world.rank();
    setup.shard = world.subgroup("dp_shard", mesh.group({Axis::kDpShard}, rank));
    setup.replica = world.subgroup("dp_replicate", mesh.group({Axis::kDpReplicate}, rank));
    setup.context = {specs,
                     &mesh,
                     rank,
                     Precision::of(compute),
                     BucketPolicy::from_zero(zero),
                     {setup.shard.get(), setup.replica.get()}};
    return setup;
}

/// Sum of gradients over all ranks after a reduce, put together from the owned ranges; then weights
/// are set from it and gathered. @return the gathered weights of rank 0.
std::vector<float> reduce_and_gather(int replicas, int shards, int zero) {
    const auto specs = small_model();
    const mesh::Mesh mesh({.dp_replicate = replicas, .dp_shard = shards}, replicas * shards);
    std::vector<float> result;
    comm::run_threads(replicas * shards, [&](comm::World& world) {
        const RankSetup setup = set_up(world.comm(), mesh, specs, DType::kF32, zero);
        tensor::CountingAlloc counting;
        const ParamStore counted(setup.context, counting);
        tensor::ArenaAlloc arena(counting.used());
        ParamStore store(setup.context, arena);
        for (Bucket& bucket : store.buckets()) {
            for (const FlatEntry& entry : bucket.layout().entries()) {
                auto gradient = bucket.gradient(entry.param).as<float>();
                for (size_t i = 0; i < gradient.size(); ++i) {
                    gradient[i] = std::sin(static_cast<float>(i) + 100.0f * world.comm().rank());
                }
            }
            bucket.start_reduce(0);
        }
        for (Bucket& bucket : store.buckets()) {
            bucket.finish_reduce(0);
            const auto sum = bucket.owned_gradient().as<float>();
            std::copy(sum.begin(), sum.end(), bucket.owned_weight().as<float>().begin());
            bucket.start_gather(0);
            bucket.finish_gather();
        }
        if (world.comm().rank() != replicas * shards - 1) return;
        for (size_t i = 0; i < specs.size(); ++i) {
            const auto values = store.weight(static_cast<int>(i)).as<float>();
            result.insert(result.end(), values.begin(), values.end());
        }
    });
    return result;
}

TEST_CASE("bucket: ZeRO-1 gives the bits of ZeRO-0 in every split of the data ranks") {
    for (const auto& [replicas, shards] : {std::pair{1, 1}, {1, 2}, {1, 3}, {2, 2}, {4, 1}}) {
        const auto whole = reduce_and_gather(replicas, shards, 0);
        CHECK(whole.size() == 37 * 5 + 7 * 9 + 7 + 3 * 5);
        CHECK(reduce_and_gather(replicas, shards, 1) == whole);
    }
}

TEST_CASE("bucket: the arena is exactly what was counted, for every precision and policy") {
    const auto specs = small_model();
    const mesh::Mesh mesh({.dp_shard = 3}, 3);
    for (const DType compute : {DType::kF32, DType::kF64, DType::kBF16}) {
        for (const int zero : {0, 1}) {
            auto world = comm::record_world(3, 1);
            const RankSetup setup = set_up(world->comm(), mesh, specs, compute, zero);
            tensor::CountingAlloc counting;
            const ParamStore counted(setup.context, counting);
            tensor::ArenaAlloc arena(counting.used());
            const ParamStore store(setup.context, arena);
            CHECK(arena.used() == counting.used());
            CHECK(arena.used() == arena.reserved());
        }
    }
}

TEST_CASE("bucket: planned bytes follow the policy") {
    const auto specs = small_model();
    const mesh::Mesh mesh({.dp_shard = 4}, 4);
    std::array<tensor::MemoryUsage, 4> usage;
    for (int zero = 0; zero < 4; ++zero) {
        auto world = comm::record_world(4, 0);
        const RankSetup setup = set_up(world->comm(), mesh, specs, DType::kBF16, zero);
        tensor::CountingAlloc counting;
        const ParamStore store(setup.context, counting);
        usage[static_cast<size_t>(zero)] = counting.used();
    }
    const auto moment = static_cast<size_t>(tensor::MemoryClass::kMoment);
    const auto gradient = static_cast<size_t>(tensor::MemoryClass::kGradient);
    CHECK(usage[1][moment] * 4 == usage[0][moment]);
    CHECK(usage[1][gradient] == usage[0][gradient]);
    CHECK(usage[2][moment] == usage[1][moment]);
    CHECK_THROWS_AS(check_supported(BucketPolicy::from_zero(2)), UsageError);
    CHECK_THROWS_AS(check_supported(BucketPolicy::from_zero(3)), UsageError);
    CHECK_THROWS_AS(BucketPolicy::from_zero(4), UsageError);
}

TEST_CASE("bucket: state slices of all ranks cover each tensor once per kind") {
    const auto specs = small_model();
    const mesh::Mesh mesh({.dp_shard = 3}, 3);
    int64_t elements = 0;
    for (int rank = 0; rank < 3; ++rank) {
        auto world = comm::record_world(3, rank);
        const RankSetup setup = set_up(world->comm(), mesh, specs, DType::kBF16, 1);
        tensor::CountingAlloc counting;
        const ParamStore store(setup.context, counting);
        for (const Bucket& bucket : store.buckets()) {
            bucket.for_each_state([&](StateKind, const StorageSlice& slice, tensor::Buffer data) {
                CHECK(data.count == slice.slice.count);
                elements += data.count;
            });
        }
    }
    CHECK(elements == 3 * (37 * 5 + 7 * 9 + 7 + 3 * 5));
}

}  // namespace
}  // namespace longhaul::parallel
