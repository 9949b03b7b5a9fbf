// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What rank 0 decides before a save: who writes which slice. Pure.

#include <cstdint>
#include <vector>

#include "lib/ckpt/manifest.h"

namespace longhaul::ckpt {

/// A slice that a rank has in memory, without its bytes.
struct Offer {
    std::string tensor;
    Kind kind = Kind::kMaster;
    tensor::DType dtype = tensor::DType::kF32;
    tensor::Shape shape;
    tensor::Slice slice;
    Fingerprint fingerprint;
};

struct SavePlan {
    std::vector<TensorEntry> tensors;  // sorted, with the fingerprints of the whole tensors
    /// writes[rank]: numbers of the offers of that rank that it writes, ascending.
    std::vector<std::vector<uint32_t>> writes;
};

/// Picks one writer for each distinct slice: among those that have it the one with the fewest bytes
/// so far, so that replicas share the work.
/// @throws DataError when ranks disagree about a tensor, replicas differ, or slices do not tile it.
SavePlan plan_save(const std::vector<std::vector<Offer>>& offers);

/// Longest slice that is written in one piece. Readers hash whole slices, so this bounds what a
/// reader of a part must read, and the memory of streaming tools.
inline constexpr uint64_t kMaxSliceBytes = 64ull << 20;
/// Cuts a slice into pieces of at most kMaxSliceBytes.
std::vector<tensor::Slice> cut_slice(const tensor::Slice& slice, tensor::DType dtype,
                                     uint64_t max_bytes = kMaxSliceBytes);

}  // namespace longhaul::ckpt
