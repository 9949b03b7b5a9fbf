// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// config.json of Hugging Face models, to and from ModelConfig.

#include <string>
#include <string_view>

#include "lib/model/config.h"

namespace longhaul::model {

/// A complete config.json that transformers loads: GPT2LMHeadModel, LlamaForCausalLM, or with
/// qkv_bias Qwen2ForCausalLM, with qk_norm Qwen3ForCausalLM.
/// @param dtype "float32" or "bfloat16": torch_dtype.
std::string to_hf_config_json(const ModelConfig& config, std::string_view dtype = "float32");

/// @param source file name for messages. @throws DataError naming the key that is missing, or that
/// asks for something Longhaul's models do not do (another activation, sliding windows, YaRN, ...).
ModelConfig from_hf_config_json(std::string_view text, const std::string& source);

}  // namespace longhaul::model
