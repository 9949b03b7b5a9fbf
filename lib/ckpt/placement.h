// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How a layout cuts a model's tensors, known from their HF names alone. ckpt-reshard writes files
// in these cuts, so that a run of that layout reads few files; a loader never depends on them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/ckpt/manifest.h"

namespace longhaul::ckpt {

/// What of a model's shape decides its cuts.
struct ModelShape {
    int64_t num_layers = 0;    // 0: unknown, everything on the first stage
    int64_t num_heads = 1;     // q_proj is cut between heads
    int64_t num_kv_heads = 1;  // k_proj and v_proj too
};
/// Reads the HF configuration of a header; unknown models give the defaults.
ModelShape model_shape(const std::string& hf_config_json);

/// How tensor parallelism cuts a tensor.
struct Placement {
    int axis = -1;  // -1: replicated
    int64_t fused =
        1;  // equal blocks along the axis, each cut on its own (GPT-2's c_attn: Q, K, V)
    int64_t units = 0;  // indivisible units of a block (heads); 0: every element
};
Placement placement_of(const std::string& tensor, const ModelShape& model);

/// The parts of a tensor on one of `tp` ranks; several for a fused one. Empty ones are left out.
std::vector<tensor::Box> tp_boxes(const tensor::Shape& shape, const Placement& placement,
                                  int64_t tp, int64_t index);

/// Number of the layer in "model.layers.7.mlp..." and "transformer.h.7.attn...".
std::optional<int64_t> layer_of(const std::string& tensor);
/// Stage of a tensor: embeddings first, final norm and head last, layers split evenly.
int64_t stage_of(const std::string& tensor, const ModelShape& model, int64_t pp);

}  // namespace longhaul::ckpt
