// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What Longhaul knows of Hugging Face models: their tensors' names, by family.

#include <optional>
#include <string>
#include <vector>

#include "lib/io/json_fwd.h"
#include "lib/tensor/dtype.h"

namespace longhaul::ckpt {

/// A model's config.json, as far as names depend on it.
struct HfModel {
    std::string family;  // "gpt2", "llama"
    int64_t num_layers = 0;
    bool is_tied = false;  // the head is the embedding and not stored
    bool has_attention_bias = false;
    bool has_mlp_bias = false;
    std::string torch_dtype;  // "" when not told
};

/// @throws UsageError for a model_type that Longhaul has no name map for.
HfModel hf_model(const io::Json& config, const std::string& source);

/// Names of all tensors that a complete model has, sorted.
std::vector<std::string> tensor_names(const HfModel& model);
/// The canonical name of a tensor in an HF file: GPT-2 files may leave out "transformer.".
std::string canonical_name(const HfModel& model, const std::string& name);
/// True for buffers that old files carry and that are no parameters (masks, rotary tables).
bool is_buffer(const HfModel& model, const std::string& canonical_name);
/// Name of the tensor that a tied head repeats.
std::string embedding_name(const HfModel& model);
inline constexpr const char* kHeadName = "lm_head.weight";

/// What `there` lacks of `expected` and has beyond it, as text for an error; "" when equal. Both
/// sorted.
std::string name_difference(const std::vector<std::string>& expected,
                            const std::vector<std::string>& there);

/// "float32", "bfloat16", "float16" and back.
std::optional<tensor::DType> dtype_of_torch(const std::string& torch_dtype);
std::string torch_name(tensor::DType dtype);

}  // namespace longhaul::ckpt
