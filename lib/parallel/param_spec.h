// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// ParamSpec: all that is said by hand about a weight. Local boxes, the slice to initialise, the
// axes its gradient is reduced over, its weight in the gradient norm and its checkpoint slices are
// derived from it (param_layout.h), never set.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/mesh/mesh.h"
#include "lib/tensor/box.h"
#include "lib/tensor/dtype.h"

namespace longhaul::parallel {

/// How a weight lies along one axis of the mesh.
struct Placement {
    enum class Kind : uint8_t {
        kReplicate,  // every rank of the axis holds it all
        kShard,      // split evenly along tensor dimension `dim`
        kOwned,      // one rank of the axis holds it all (`owner`)
    };
    Kind kind = Kind::kReplicate;
    int dim = 0;
    int owner = 0;

    static Placement shard(int dim) { return {Kind::kShard, dim, 0}; }
    static Placement owned(int owner) { return {Kind::kOwned, 0, owner}; }
    auto operator<=>(const Placement&) const = default;
};
/// One placement per mesh::Axis (index = the enum's value).
using PerAxis = std::array<Placement, mesh::kNumAxes>;

/// The law of the initial values; element i of a tensor depends on (seed, HF name, i) only.
struct Init {
    enum class Law : uint8_t { kZeros, kOnes, kNormal, kTruncatedNormal };
    Law law = Law::kZeros;
    double std = 0;  // standard deviation of the normal laws
    double cut = 3;  // kTruncatedNormal: |x| <= cut * std, drawn again beyond

    static Init zeros() { return {}; }
    static Init ones() { return {Law::kOnes}; }
    static Init normal(double std) { return {Law::kNormal, std}; }
};

enum class OptimizerKind : uint8_t { kAdamW };

/// A tensor of the checkpoint inside a fused weight: `rows` of dimension 0.
struct HfPart {
    std::string hf_name;
    int64_t rows = 0;
};

struct ParamSpec {
    std::string name;     // "blocks.3.attn.qkv.weight": for messages
    std::string hf_name;  // name in checkpoints, "model.layers.3.mlp.up_proj.weight"
    tensor::Shape shape;  // global, in the layout that checkpoints use (Hugging Face's)
    tensor::DType dtype = tensor::DType::kF32;  // of the copy that computes
    PerAxis place{};                            // default: replicated on all axes
    Init init;
    bool decay = false;  // weight decay applies
    OptimizerKind optimizer = OptimizerKind::kAdamW;
    std::string tie;  // non-empty: name of the spec whose storage this one shares
    int block = 0;    // bucket: 0 embeddings, 1.. decoder blocks, last the final norm and head
    /// A fused weight: it lies in memory as these tensors one after the other along dimension 0
    /// (each split by `place` on its own). Empty: the one tensor `hf_name`.
    std::vector<HfPart> parts;
};

/// @throws Error naming the spec: empty name, dim out of range, parts that do not add up.
void check_spec(const ParamSpec& spec);

}  // namespace longhaul::parallel
