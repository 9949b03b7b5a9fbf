// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/engine.h"

#include "lib/base/check.h"
#include "lib/comm/world.h"
#include "lib/parallel/region_op.h"

namespace longhaul::train {

namespace {

using mesh::Axis;
using tensor::DType;
using tensor::MemoryClass;

std::unique_ptr<comm::Comm> group_of(comm::Comm& world, const mesh::Mesh& mesh, Axis axis) {
    return world.subgroup(std::string(mesh::name_of(axis)), mesh.group({axis}, world.rank()));
}

void stage(comm::Comm& comm, tensor::Alloc& alloc) {
    comm.use_scratch(alloc.get(MemoryClass::kComm, comm::Comm::scratch_bytes(comm.size()),
                               DType::kU8, "staging of " + comm.axis()));
}

/// Proves before the first step that every gradient will be summed over the right axes.
void check_regions(std::span<const parallel::ParamSpec> specs, const mesh::Mesh& mesh) {
    const std::vector<parallel::ParamSpec> list(specs.begin(), specs.end());
    for (const parallel::ParamSpec& spec : list) parallel::check_spec(spec);
    const std::string problem =
        parallel::check(parallel::plain_steps(list), list, mesh, parallel::input_types(),
                        parallel::varying_axes(false));
    LH_CHECK(problem.empty(), "{}", problem);
}

}  // namespace

Engine::Engine(const EngineOptions& options, comm::Comm& world, tensor::Alloc& alloc)
    : options_(options),
      world_(world),
      mesh_(options.mesh, world.size()),
      shard_(group_of(world, mesh_, Axis::kDpShard)),
      replica_(group_of(world, mesh_, Axis::kDpReplicate)),
      model_(options.model, options.transformer, alloc),
      store_(bucket_context(), alloc) {
    check_regions(model_.params(), mesh_);
    if (options.global_batch < mesh_.num_data_ranks()) {
        throw UsageError(format("data.global_batch = {} is below the {} data-parallel ranks",
                                options.global_batch, mesh_.num_data_ranks()));
    }
    for (comm::Comm* comm : {&world_, shard_.get(), replica_.get()}) stage(*comm, alloc);
    const int64_t seq_len = options.transformer.seq_len;
    const int64_t samples = local_samples().count;
    tokens_ = alloc.get(MemoryClass::kHost, samples * seq_len, DType::kI32, "tokens");
    targets_ = alloc.get(MemoryClass::kHost, samples * seq_len, DType::kI32, "targets");
    if (options.attends_document) {
        document_begins_ =
            alloc.get(MemoryClass::kHost, samples * seq_len, DType::kI32, "document begins");
    }
    for (int i = 0; i < static_cast<int>(model_.params().size()); ++i) {
        model_.bind(i, store_.weight(i), store_.gradient(i));
    }
}

// The staging dies with the Alloc; the world lives on.
Engine::~Engine() {
    world_.use_scratch({});
}

parallel::BucketContext Engine::bucket_context() {
    parallel::BucketContext context;
    context.specs = model_.params();
    context.mesh = &mesh_;
    context.rank = world_.rank();
    context.precision = parallel::Precision::of(options_.transformer.compute);
    context.policy = options_.policy;
    context.groups = {shard_.get(), replica_.get()};
    return context;
}

tensor::Range Engine::local_samples() const {
    const mesh::AxisSet data = {Axis::kDpReplicate, Axis::kDpShard};
    return tensor::split_evenly(options_.global_batch, mesh_.size(data),
                                mesh_.index_in_group(data, world_.rank()));
}

tensor::MemoryUsage plan_memory(const EngineOptions& options, int world_size, int rank) {
    const auto world = comm::record_world(world_size, rank);
    tensor::CountingAlloc counting;
    const Engine engine(options, world->comm(), counting);
    return counting.used();
}

BuiltEngine build_engine(const EngineOptions& options, comm::Comm& world) {
    parallel::check_supported(options.policy);
    BuiltEngine built;
    built.arena =
        std::make_unique<tensor::ArenaAlloc>(plan_memory(options, world.size(), world.rank()));
    built.engine = std::make_unique<Engine>(options, world, *built.arena);
    LH_CHECK(built.arena->used() == built.arena->reserved(),
             "the run uses {} bytes, the plan said {}", tensor::total_bytes(built.arena->used()),
             tensor::total_bytes(built.arena->reserved()));
    return built;
}

}  // namespace longhaul::train
