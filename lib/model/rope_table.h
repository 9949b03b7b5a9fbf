// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Tables of cosines and sines of rotary positions, computed in f64.

#include <vector>

#include "lib/model/config.h"
#include "lib/tensor/alloc.h"

namespace longhaul::model {

/// The angle per position of each pair, head_dim / 2 numbers: theta^(-2 i / D), low frequencies
/// stretched as config.rope_scaling says.
std::vector<double> rope_frequencies(const ModelConfig& config);

/// Two tables (positions, head_dim / 2) in the accumulator type; empty for models without.
struct RopeTable {
    tensor::Buffer cosines, sines;
};
/// @param positions 0 .. positions - 1. Under a counting Alloc the tables stay unfilled.
RopeTable make_rope_table(const ModelConfig& config, int64_t positions, tensor::DType accumulator,
                          tensor::Alloc& alloc);

}  // namespace longhaul::model
