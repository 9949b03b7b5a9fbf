// SPDX-License-Identifier: BSD-3-Clause
#include "lib/parallel/param_layout.h"

#include <doctest/doctest.h>

#include <map>

#include "lib/parallel/flat_layout.h"
#include "lib/parallel/region_op.h"

namespace longhaul::parallel {
namespace {

using mesh::Axis;

ParamSpec weight(const std::string& name, tensor::Shape shape) {
    ParamSpec spec;
    spec.name = spec.hf_name = name;
    spec.shape = std::move(shape);
    return spec;
}

ParamSpec sharded(ParamSpec spec, Axis axis, int dim) {
    spec.place[static_cast<size_t>(axis)] = Placement::shard(dim);
    return spec;
}

ParamSpec fused_qkv() {
    ParamSpec spec = sharded(weight("qkv", {11 + 5 + 5, 7}), Axis::kTp, 0);
    spec.parts = {{"q", 11}, {"k", 5}, {"v", 5}};
    return spec;
}

/// Marks every global element of every checkpoint tensor with how often `slices` hold it.
void count_elements(const std::vector<StorageSlice>& slices,
                    std::map<std::string, std::vector<int>>& seen) {
    for (const StorageSlice& slice : slices) {
        auto& counts = seen[slice.hf_name];
        counts.resize(static_cast<size_t>(tensor::num_elements(slice.shape)));
        const auto whole = tensor::Slice::whole(tensor::Box::whole(slice.shape));
        for (const auto& run : tensor::copy_runs(slice.slice, whole)) {
            for (int64_t i = 0; i < run.count; ++i) {
                ++counts[static_cast<size_t>(run.destination_index + i)];
            }
        }
    }
}

TEST_CASE("param_layout: TP boxes x ZeRO ranges cover every element exactly once, odd sizes") {
    const std::vector<ParamSpec> specs = {
        weight("norm", {13}), sharded(weight("column", {9, 5}), Axis::kTp, 0),
        sharded(weight("row", {3, 7}), Axis::kTp, 1), fused_qkv(), weight("scalar", {1})};
    for (const int tp : {1, 2, 3}) {
        for (const int shards : {1, 2, 3, 5}) {
            const mesh::Mesh mesh({.tp = tp, .dp_shard = shards}, tp * shards);
            std::map<std::string, std::vector<int>> seen;
            for (int rank = 0; rank < mesh.world_size(); ++rank) {
                std::vector<int> params;
                std::vector<int64_t> counts;
                for (size_t i = 0; i < specs.size(); ++i) {
                    params.push_back(static_cast<int>(i));
                    counts.push_back(local_count(specs[i], mesh, rank));
                }
                const FlatLayout layout(params, counts, shards);
                const auto owned = layout.shard(mesh.index_in_group({Axis::kDpShard}, rank));
                for (const FlatPiece& piece : layout.pieces(owned)) {
                    const ParamSpec& spec = specs[static_cast<size_t>(piece.param)];
                    if (norm_weight(spec, mesh, rank, {Axis::kDpShard}) == 0) continue;
                    count_elements(
                        storage_slices(spec, mesh, rank, {piece.param_first, piece.count}), seen);
                }
            }
            CHECK(seen.size() == 7);
            for (const auto& [name, counts] : seen) {
                for (const int count : counts) {
                    CHECK_MESSAGE(count == 1, name, " tp ", tp, " shards ", shards);
                }
            }
        }
    }
}

TEST_CASE("param_layout: a fused weight is split part by part") {
    const mesh::Mesh mesh({.tp = 2}, 2);
    const auto first = local_parts(fused_qkv(), mesh, 0);
    const auto second = local_parts(fused_qkv(), mesh, 1);
    REQUIRE(first.size() == 3);
    CHECK(first[0].box == tensor::Box{{0, 0}, {6, 7}});
    CHECK(second[0].box == tensor::Box{{6, 0}, {5, 7}});
    CHECK(first[1].storage_first == 6 * 7);
    CHECK(first[1].box == tensor::Box{{0, 0}, {3, 7}});
    CHECK(second[2].box == tensor::Box{{3, 0}, {2, 7}});
    CHECK(local_count(fused_qkv(), mesh, 0) + local_count(fused_qkv(), mesh, 1) == 21 * 7);
}

TEST_CASE("param_layout: gradient axes are the replicated ones that see different data") {
    const auto dense = weight("w", {4, 4});
    CHECK(grad_axes(dense, varying_axes(false)) ==
          mesh::AxisSet{Axis::kDpReplicate, Axis::kDpShard, Axis::kCp});
    CHECK(grad_axes(dense, varying_axes(true)).contains(Axis::kTp));
    CHECK_FALSE(grad_axes(sharded(dense, Axis::kTp, 0), varying_axes(true)).contains(Axis::kTp));
}

TEST_CASE("param_layout: norm weights sum to one per element; owned and tied ones too") {
    const mesh::Mesh mesh({.tp = 2, .pp = 2, .dp_replicate = 2, .dp_shard = 1}, 8);
    const auto total = [&](const ParamSpec& spec) {
        double sum = 0;
        for (int rank = 0; rank < 8; ++rank) sum += norm_weight(spec, mesh, rank, {});
        return sum;
    };
    CHECK(total(weight("w", {4})) == 1);
    CHECK(total(sharded(weight("w", {4}), Axis::kTp, 0)) == 2);  // two different halves
    ParamSpec owned = weight("w", {4});
    owned.place[static_cast<size_t>(Axis::kPp)] = Placement::owned(1);
    CHECK(total(owned) == 1);
    CHECK(local_count(owned, mesh, 0) == 0);
    ParamSpec tied = weight("w_head", {4});
    tied.tie = tied.name.substr(0, 1);
    CHECK(total(tied) == 0);
}

TypedStep step(TypedStep::Kind kind, const std::string& where) {
    TypedStep step;
    step.kind = kind;
    step.where = where;
    return step;
}
TypedStep use(const std::string& where, int param, bool contracts = false) {
    TypedStep linear = step(TypedStep::Kind::kLinear, where);
    linear.param = param;
    linear.contracts_shard = contracts;
    return linear;
}
TypedStep region(RegionOp op) {
    TypedStep change = step(TypedStep::Kind::kRegion, "mlp");
    change.op = op;
    change.axis = Axis::kTp;
    return change;
}

TEST_CASE("region_op: a Megatron MLP passes, and each classic mistake is named") {
    const mesh::Mesh mesh({.tp = 2, .dp_shard = 2}, 4);
    const std::vector<ParamSpec> specs = {weight("norm", {4}),
                                          sharded(weight("up", {8, 4}), Axis::kTp, 0),
                                          sharded(weight("down", {4, 8}), Axis::kTp, 1)};
    const auto run = [&](const std::vector<TypedStep>& steps, bool sequence_parallel) {
        LocalTypes input = input_types();
        if (sequence_parallel) input[static_cast<size_t>(Axis::kTp)] = Local::kVarying;
        return check(steps, specs, mesh, input, varying_axes(sequence_parallel));
    };
    const auto norm = use("norm", 0), up = use("mlp.up", 1), down = use("mlp.down", 2, true);
    const auto gelu = step(TypedStep::Kind::kLocal, "mlp.gelu");
    const auto enter = region(RegionOp::kConvert), leave = region(RegionOp::kAllReduce);
    CHECK(run({norm, enter, up, gelu, down, leave}, false).empty());
    CHECK(
        run({norm, region(RegionOp::kAllGather), up, gelu, down, region(RegionOp::kReduceScatter)},
            true)
            .empty());
    // No convert: invisible in the forward pass.
    CHECK(run({norm, up, gelu, down, leave}, false) ==
          "mlp.up: along tp: a sharded weight takes a replicated value, but it is invariant: its "
          "gradient would stay unsummed");
    // The sum is forgotten before a non-linear op.
    CHECK(run({norm, enter, up, gelu, down, gelu}, false).find("a partial value enters") !=
          std::string::npos);
    // Sequence parallelism without summing the norm's gradient over tp (Megatron-LM#1446).
    LocalTypes varying = input_types();
    varying[static_cast<size_t>(Axis::kTp)] = Local::kVarying;
    CHECK(check({norm, region(RegionOp::kAllGather), up, gelu, down,
                 region(RegionOp::kReduceScatter)},
                specs, mesh, varying, varying_axes(false)) ==
          "norm: its gradient is partial along dp_shard+tp, but it is summed over dp_shard");
}

TEST_CASE("region_op: gradients of a rule run between the dual types") {
    for (const RegionRule& rule : region_rules()) {
        CHECK(rule_of(rule.op).name == rule.name);
        CHECK(dual(dual(rule.from)) == rule.from);
        // A value that comes out replicated has a partial gradient: something must be summed.
        const bool sums = std::string(rule.backward).find("reduce") != std::string::npos;
        CHECK(sums == (rule.to == Local::kReplicated));
    }
}

}  // namespace
}  // namespace longhaul::parallel
