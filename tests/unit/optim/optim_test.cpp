// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cmath>

#include "lib/base/error.h"
#include "lib/comm/world.h"
#include "lib/optim/adamw.h"
#include "lib/optim/grad_norm.h"
#include "lib/optim/schedule.h"

namespace longhaul::optim {
namespace {

using mesh::Axis;
using parallel::Bucket;
using tensor::DType;

Schedule schedule(ScheduleKind kind) {
    return {kind, 1.0, 0.1, 10, 110, kind == ScheduleKind::kWsd ? 20 : 0, DecayShape::kSqrt};
}

TEST_CASE("schedule: warm-up does not lose step 0 and ends at the peak") {
    for (const auto kind : {ScheduleKind::kConstant, ScheduleKind::kCosine, ScheduleKind::kLinear,
                            ScheduleKind::kWsd}) {
        CHECK(learning_rate(schedule(kind), 0) == doctest::Approx(0.1));
        CHECK(learning_rate(schedule(kind), 9) == doctest::Approx(1.0));
        CHECK(learning_rate(schedule(kind), 10) == doctest::Approx(1.0));
    }
}

TEST_CASE("schedule: middle and end of each course") {
    CHECK(learning_rate(schedule(ScheduleKind::kConstant), 109) == 1.0);
    CHECK(learning_rate(schedule(ScheduleKind::kCosine), 60) == doctest::Approx(0.55));
    CHECK(learning_rate(schedule(ScheduleKind::kCosine), 110) == doctest::Approx(0.1));
    CHECK(learning_rate(schedule(ScheduleKind::kLinear), 35) == doctest::Approx(0.775));
    CHECK(learning_rate(schedule(ScheduleKind::kWsd), 89) == 1.0);
    CHECK(learning_rate(schedule(ScheduleKind::kWsd), 95) == doctest::Approx(0.1 + 0.9 * 0.5));
    CHECK(learning_rate(schedule(ScheduleKind::kWsd), 110) == doctest::Approx(0.1));
}

TEST_CASE("schedule: bad settings are named") {
    Schedule bad = schedule(ScheduleKind::kCosine);
    bad.warmup_steps = 200;
    CHECK_THROWS_WITH_AS(
        check(bad), "schedule.warmup_steps = 200 is not between 0 and job.steps = 110", UsageError);
    bad = schedule(ScheduleKind::kCosine);
    bad.final_rate = 2;
    CHECK_THROWS_AS(check(bad), UsageError);
}

struct Setup {
    std::vector<parallel::ParamSpec> specs;
    mesh::Mesh mesh;
    std::unique_ptr<comm::Comm> shard, replica;
    std::unique_ptr<tensor::ArenaAlloc> arena;
    std::unique_ptr<parallel::ParamStore> store;
};

std::unique_ptr<Setup> set_up(comm::Comm& world, mesh::MeshSizes sizes, DType compute, int zero) {
    auto setup =
        std::make_unique<Setup>(Setup{{}, mesh::Mesh(sizes, world.size()), {}, {}, {}, {}});
    for (const auto& [name, count, decay] :
         {std::tuple{"matrix", 333, true}, std::tuple{"norm", 50, false}}) {
        parallel::ParamSpec spec;
        spec.name = spec.hf_name = name;
        spec.shape = {count};
        spec.decay = decay;
        setup->specs.push_back(spec);
    }
    const int rank = world.rank();
    setup->shard = world.subgroup("dp_shard", setup->mesh.group({Axis::kDpShard}, rank));
    setup->replica = world.subgroup("dp_replicate", setup->mesh.group({Axis::kDpReplicate}, rank));
    const parallel::BucketContext context{setup->specs,
                                          &setup->mesh,
                                          rank,
                                          parallel::Precision::of(compute),
                                          parallel::BucketPolicy::from_zero(zero),
                                          {setup->shard.get(), setup->replica.get()}};
    tensor::CountingAlloc counting;
    const parallel::ParamStore counted(context, counting);
    setup->arena = std::make_unique<tensor::ArenaAlloc>(counting.used());
    setup->store = std::make_unique<parallel::ParamStore>(context, *setup->arena);
    return setup;
}

/// Equal on all ranks, as after a reduce.
void fill_gradients(parallel::ParamStore& store) {
    for (Bucket& bucket : store.buckets()) {
        for (const auto& entry : bucket.layout().entries()) {
            auto gradient = bucket.gradient(entry.param).as<float>();
            for (size_t i = 0; i < gradient.size(); ++i) {
                gradient[i] = std::cos(static_cast<float>(i + 1000 * entry.param));
            }
        }
    }
}

TEST_CASE("grad_norm: every layout counts each element once") {
    double expected = 0;
    for (int i = 0; i < 333; ++i) expected += std::pow(std::cos(static_cast<float>(i)), 2);
    for (int i = 0; i < 50; ++i) expected += std::pow(std::cos(static_cast<float>(i + 1000)), 2);
    for (const auto& [replicas, shards] : {std::pair{1, 1}, {1, 4}, {3, 1}, {2, 2}}) {
        for (const int zero : {0, 1}) {
            double sum = -1;
            comm::run_threads(replicas * shards, [&](comm::World& world) {
                auto stream = kernels::Stream::cpu();
                const auto setup =
                    set_up(world.comm(), {.dp_replicate = replicas, .dp_shard = shards},
                           DType::kF32, zero);
                fill_gradients(*setup->store);
                double share = local_sum_squares(*setup->store, stream);
                world.comm().all_reduce(std::span(&share, 1), comm::Op::kSum, {});
                if (world.comm().rank() == 0) sum = share;
            });
            CHECK(sum == doctest::Approx(expected).epsilon(1e-6));
        }
    }
}

TEST_CASE("grad_norm: a NaN is found and named; clip_scale") {
    auto world = comm::solo_world();
    auto stream = kernels::Stream::cpu();
    const auto setup = set_up(world->comm(), {}, DType::kF32, 1);
    fill_gradients(*setup->store);
    CHECK(non_finite_gradients(*setup->store, stream).empty());
    setup->store->gradient(1).as<float>()[49] = std::nanf("");
    CHECK(std::isnan(local_sum_squares(*setup->store, stream)));
    CHECK(non_finite_gradients(*setup->store, stream) == std::vector<std::string>{"norm"});
    CHECK(clip_scale(0.5, 1.0) == 1.0);
    CHECK(clip_scale(4.0, 1.0) == doctest::Approx(0.25));
    CHECK(clip_scale(4.0, 0) == 1.0);
}

TEST_CASE("adamw: the formula, decay on flagged weights only, zero gradients leave norms alone") {
    auto world = comm::solo_world();
    auto stream = kernels::Stream::cpu();
    const auto setup = set_up(world->comm(), {}, DType::kF64, 1);
    parallel::ParamStore& store = *setup->store;
    for (double& x : store.weight(0).as<double>()) x = 2;
    for (double& x : store.weight(1).as<double>()) x = 2;
    store.gradient(0).as<double>()[5] = 0.5;
    AdamWSettings settings;
    adamw_update(store.buckets()[0], store.context(), settings, 0.1, 1, 1, stream);
    // First step: m / (sqrt(v) + eps) is the sign of the gradient.
    CHECK(store.weight(0).as<double>()[5] == doctest::Approx(2 - 0.1 * (1 + 0.1 * 2)));
    CHECK(store.weight(0).as<double>()[6] == doctest::Approx(2 - 0.1 * 0.1 * 2));
    CHECK(store.weight(1).as<double>()[6] == 2);
}

TEST_CASE("adamw: stochastic rounding does not depend on the layout, and is what a load gives") {
    std::vector<uint16_t> reference;
    for (const int shards : {1, 2, 3}) {
        std::vector<uint16_t> bits, again;
        comm::run_threads(shards, [&](comm::World& world) {
            auto stream = kernels::Stream::cpu();
            const auto setup = set_up(world.comm(), {.dp_shard = shards}, DType::kBF16, 1);
            AdamWSettings settings;
            settings.rounding = kernels::Rounding::kStochastic;
            settings.seed = 5;
            fill_gradients(*setup->store);
            Bucket& bucket = setup->store->buckets()[0];
            for (float& x : bucket.state(parallel::StateKind::kMaster).as<float>()) x = 1.2345f;
            adamw_update(bucket, setup->store->context(), settings, 1e-3, 1, 7, stream);
            bucket.start_gather(0);
            bucket.finish_gather();
            const auto collect = [&](std::vector<uint16_t>& into) {
                for (const int param : {0, 1}) {
                    for (const auto& value : setup->store->weight(param).as<tensor::BFloat16>()) {
                        into.push_back(value.bits);
                    }
                }
            };
            if (world.comm().rank() == 0) collect(bits);
            round_weights(bucket, setup->store->context(), settings, 7);
            bucket.start_gather(0);
            bucket.finish_gather();
            if (world.comm().rank() == 0) collect(again);
        });
        if (reference.empty()) reference = bits;
        CHECK(bits == reference);
        CHECK(again == reference);
    }
}

}  // namespace
}  // namespace longhaul::optim
