// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What follows from a ParamSpec and a mesh: the part of each weight that a rank holds, the axes its
// gradient is summed over, its weight in the gradient norm, and the slices of checkpoint tensors
// under any flat range of its storage. Pure functions.

#include <cstdint>
#include <string>
#include <vector>

#include "lib/mesh/mesh.h"
#include "lib/parallel/param_spec.h"
#include "lib/tensor/box.h"

namespace longhaul::parallel {

/// One checkpoint tensor's share in the storage of a weight on one rank.
struct LocalPart {
    std::string hf_name;
    tensor::Shape shape;        // global, of the checkpoint tensor
    tensor::Box box;            // the part of it that the rank holds; may be empty
    int64_t storage_first = 0;  // where its elements begin in the weight's local storage
};

/// The parts that `rank` holds, in storage order; none when another rank owns the weight.
/// Shards of dimensions that do not divide evenly are one longer on the first ranks.
std::vector<LocalPart> local_parts(const ParamSpec& spec, const mesh::Mesh& mesh, int rank);

/// Elements of the weight on `rank`.
int64_t local_count(const ParamSpec& spec, const mesh::Mesh& mesh, int rank);

/// A run of a weight's local storage as a slice of a checkpoint tensor.
struct StorageSlice {
    std::string hf_name;
    tensor::Shape shape;        // global, of the checkpoint tensor
    tensor::Slice slice;        // box of the rank, elements within it
    int64_t storage_first = 0;  // of the slice's first element, in the weight's local storage
};

/// The checkpoint slices under elements `range` of the weight's local storage (ZeRO: a shard of
/// the bucket that holds it). Empty parts are left out.
std::vector<StorageSlice> storage_slices(const ParamSpec& spec, const mesh::Mesh& mesh, int rank,
                                         tensor::Range range);

/// The axes over which the gradient must be summed: those where the weight is replicated and its
/// uses see different data. @param varying axes along which activations differ at its uses.
mesh::AxisSet grad_axes(const ParamSpec& spec, mesh::AxisSet varying);

/// The axes along which activations differ in a dense model: both data axes and cp; with sequence
/// parallelism also tp.
mesh::AxisSet varying_axes(bool sequence_parallel);

/// 1 on the one rank that counts this weight in the gradient norm, else 0: replicas and tied copies
/// are counted once. @param split axes along which a bucket already shards the gradient, where
/// every rank counts its own range.
double norm_weight(const ParamSpec& spec, const mesh::Mesh& mesh, int rank, mesh::AxisSet split);

}  // namespace longhaul::parallel
