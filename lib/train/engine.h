// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Everything that a rank holds in memory: model, buckets, batch, staging of collectives. Building
// it is the same code for the plan (counting) and for the real run.

#include <cstdint>
#include <memory>

#include "kernels/stream.h"
#include "lib/comm/comm.h"
#include "lib/mesh/mesh.h"
#include "lib/model/transformer.h"
#include "lib/parallel/bucket.h"
#include "lib/tensor/alloc.h"

namespace longhaul::train {

struct EngineOptions {
    model::ModelConfig model;
    model::TransformerOptions transformer;
    mesh::MeshSizes mesh;
    parallel::BucketPolicy policy;
    int64_t global_batch = 1;       // sequences over all ranks
    bool attends_document = false;  // data.attention = "document"
};

class Engine {
 public:
    /// @param world all ranks; outlives the engine. @param alloc a CountingAlloc gives a plan: only
    /// sizes may be asked of the engine then.
    Engine(const EngineOptions& options, comm::Comm& world, tensor::Alloc& alloc);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    const mesh::Mesh& mesh() const { return mesh_; }
    comm::Comm& world() { return world_; }
    model::Transformer& model() { return model_; }
    parallel::ParamStore& store() { return store_; }
    kernels::Stream& stream() { return stream_; }
    const EngineOptions& options() const { return options_; }

    /// This rank's share of [0, global_batch): data ranks take consecutive samples.
    tensor::Range local_samples() const;
    /// Packed (local samples, seq_len).
    tensor::Buffer tokens() const { return tokens_; }
    tensor::Buffer targets() const { return targets_; }
    /// Empty unless options().attends_document.
    tensor::Buffer document_begins() const { return document_begins_; }

 private:
    parallel::BucketContext bucket_context();

    EngineOptions options_;
    comm::Comm& world_;
    mesh::Mesh mesh_;
    std::unique_ptr<comm::Comm> shard_, replica_;
    model::Transformer model_;
    parallel::ParamStore store_;
    kernels::Stream stream_ = kernels::Stream::cpu();
    tensor::Buffer tokens_, targets_, document_begins_;
};

/// Sizes of an engine on `rank` of `world_size`, without any memory or communication.
tensor::MemoryUsage plan_memory(const EngineOptions& options, int world_size, int rank);

/// The real engine of this rank: planned first, then one block per class of exactly that size.
struct BuiltEngine {
    std::unique_ptr<tensor::ArenaAlloc> arena;
    std::unique_ptr<Engine> engine;
};
BuiltEngine build_engine(const EngineOptions& options, comm::Comm& world);

}  // namespace longhaul::train
