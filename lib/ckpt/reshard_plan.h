// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a reshard will write: every slice of every tensor in the target layout. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/ckpt/container.h"
#include "lib/ckpt/load.h"
#include "lib/ckpt/manifest.h"

namespace longhaul::ckpt {

/// "tp=2,pp=2,dp_shard=3,zero=1"; what is not named is 1 (zero: 0).
/// @throws UsageError naming the bad part and the known keys.
Layout parse_layout(std::string_view text);
/// The same form, without the parts that are 1 (or 0).
std::string layout_text(const Layout& layout);

/// A slice to write.
struct TargetSlice {
    uint32_t tensor = 0;
    tensor::Slice slice;
    uint32_t file = 0;   // in ReshardPlan::files
    uint32_t piece = 0;  // in that file
};

struct TargetFile {
    std::string name;
    std::vector<PieceSpec> pieces;
};

struct ReshardPlan {
    std::vector<TensorEntry> tensors;  // dtype as written; fingerprints of the source
    std::vector<TargetFile> files;
    std::vector<TargetSlice> slices;  // by tensor, then by place in it: reads sweep the source
};

struct TargetOptions {
    Layout layout;
    std::optional<tensor::DType> master_dtype;  // cast of the master weights
    uint64_t max_slice_bytes = 64ull << 20;
};

/// Cuts every tensor of `source` for the target layout: pipeline stage, tensor-parallel boxes, then
/// with zero >= 1 flat ranges over dp_shard; without, whole boxes shared out over dp_shard by load.
ReshardPlan plan_reshard(const Manifest& source, const TargetOptions& options);

/// What reading will cost.
struct PlanCost {
    uint64_t pieces = 0;         // pairs of a source and a target slice that share elements
    uint64_t payload_bytes = 0;  // of the target
    uint64_t read_bytes = 0;     // if every target slice read its source slices anew
};
PlanCost plan_cost(const Checkpoint& source, const ReshardPlan& plan);

}  // namespace longhaul::ckpt
