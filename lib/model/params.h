// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where each layer's weights are in the list of param_specs(): the list and its indices are made
// together, so that they cannot disagree.

#include <cstdint>
#include <vector>

#include "lib/model/config.h"
#include "lib/parallel/param_spec.h"
#include "lib/tensor/dtype.h"

namespace longhaul::model {

/// Index of a ParamSpec; kNoParam where a layer has none.
using ParamIndex = int;
inline constexpr ParamIndex kNoParam = -1;

struct LinearParams {
    int64_t in = 0, out = 0;
    bool stored_in_out = false;  // (in, out) as GPT-2's Conv1D; else (out, in)
    ParamIndex weight = kNoParam, bias = kNoParam;
};

struct NormParams {
    ParamIndex weight = kNoParam, bias = kNoParam;  // a bias makes it a LayerNorm
};

struct BlockParams {
    NormParams norm1, norm2;
    LinearParams qkv, proj, up, down;  // up: GPT-2's c_fc, Llama's [gate | up]
    ParamIndex q_norm = kNoParam, k_norm = kNoParam;
};

struct ModelParams {
    std::vector<parallel::ParamSpec> specs;
    ParamIndex tokens = kNoParam, positions = kNoParam;
    std::vector<BlockParams> blocks;
    NormParams final_norm;
    LinearParams head;  // weight == tokens when tied
};

/// @param compute dtype of the copy of the weights that computes.
ModelParams build_params(const ModelConfig& config, tensor::DType compute);

}  // namespace longhaul::model
