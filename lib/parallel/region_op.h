// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Local types: along each mesh axis a value is replicated, invariant, varying or partial. Region
// ops are the only places where a value changes its type; each has a gradient dual. check() runs a
// model's blocks over the types alone and proves that every weight gradient ends summed over the
// right axes. A missing sum is invisible in the forward pass: this finds it before the first step.
// Source: meta-pytorch/spmd_types, docs/design.md (the four states and their duals).

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/mesh/mesh.h"
#include "lib/parallel/param_spec.h"

namespace longhaul::parallel {

/// State of a value along one axis.
enum class Local : uint8_t {
    kReplicated,  // same value on all ranks; its gradient is partial
    kInvariant,   // same value on all ranks; its gradient is the same on all, too
    kVarying,     // each rank has its own
    kPartial,     // the true value is the sum over the ranks
};
const char* name_of(Local local);
/// The type of the gradient of a value: replicated and partial swap, the others stay.
Local dual(Local local);

enum class RegionOp : uint8_t {
    kConvert,        // invariant -> replicated, no communication (Megatron: copy to region)
    kAllReduce,      // partial -> invariant (reduce from region)
    kReduceScatter,  // partial -> varying (row-parallel exit under sequence parallelism)
    kAllGather,      // varying -> replicated (column-parallel entry)
    kGatherSame,     // varying -> invariant (before a use that is the same on all ranks)
    kAllToAll,       // varying -> varying (experts, Ulysses)
};
/// A row of the table: what an op does forward, and the communication of its gradient.
struct RegionRule {
    RegionOp op;
    const char* name;
    Local from, to;
    const char* backward;  // "all_reduce", "none", "reduce_scatter", "all_gather", "slice", ...
};
const std::array<RegionRule, 6>& region_rules();
const RegionRule& rule_of(RegionOp op);

/// A value's state along every axis.
using LocalTypes = std::array<Local, mesh::kNumAxes>;

/// One step of a block, over types only.
struct TypedStep {
    enum class Kind : uint8_t {
        kRegion,  // `op` along `axis`
        kLinear,  // uses weight `param`; linear in the activation (matmul, bias, norm weight)
        kLocal,   // any non-linear local op: refuses partial values
    };
    Kind kind = Kind::kLocal;
    std::string where;  // "blocks.3.mlp.down": for messages
    RegionOp op = RegionOp::kConvert;
    mesh::Axis axis = mesh::Axis::kTp;
    int param = -1;  // index into the specs
    /// kLinear with a sharded weight: the sum runs over the sharded dimension (row parallel), so
    /// the result is partial; else (column parallel) it is varying.
    bool contracts_shard = false;
};

/// Follows `steps` from an input of type `input` along the dense axes of more than one rank.
/// @param varying what grad_axes() is given for the sums that will be made.
/// @return what is wrong, "" when every step is allowed and each weight's gradient is summed over
/// exactly the axes along which it is partial. The message names layer and axis.
std::string check(const std::vector<TypedStep>& steps, const std::vector<ParamSpec>& specs,
                  const mesh::Mesh& mesh, LocalTypes input, mesh::AxisSet varying);

/// Types of the activations entering the first block: varying along the data axes and cp,
/// invariant along the others.
LocalTypes input_types();

/// The steps of a model without region ops (tp = 1): every weight used once, in order.
std::vector<TypedStep> plain_steps(const std::vector<ParamSpec>& specs);

}  // namespace longhaul::parallel
