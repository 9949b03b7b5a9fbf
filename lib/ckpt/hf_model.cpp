// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/hf_model.h"

#include <algorithm>

#include "lib/base/error.h"
#include "lib/io/json.h"

namespace longhaul::ckpt {
namespace {

using Names = std::vector<std::string>;

bool flag(const io::Json& config, const char* key, bool otherwise) {
    const auto found = config.find(key);
    return found != config.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

void add(Names& names, const std::string& module, bool has_bias) {
    names.push_back(module + ".weight");
    if (has_bias) names.push_back(module + ".bias");
}

Names gpt2_names(const HfModel& model) {
    Names names{"transformer.wte.weight", "transformer.wpe.weight"};
    for (int64_t i = 0; i < model.num_layers; ++i) {
        for (const char* part :
             {"ln_1", "ln_2", "attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"}) {
            add(names, format("transformer.h.{}.{}", i, part), true);
        }
    }
    add(names, "transformer.ln_f", true);
    return names;
}

Names llama_names(const HfModel& model) {
    Names names{"model.embed_tokens.weight", "model.norm.weight"};
    for (int64_t i = 0; i < model.num_layers; ++i) {
        const std::string layer = format("model.layers.{}.", i);
        for (const char* part : {"input_layernorm", "post_attention_layernorm"}) {
            add(names, layer + part, false);
        }
        for (const char* part : {"q_proj", "k_proj", "v_proj", "o_proj"}) {
            add(names, layer + "self_attn." + part, model.has_attention_bias);
        }
        for (const char* part : {"gate_proj", "up_proj", "down_proj"}) {
            add(names, layer + "mlp." + part, model.has_mlp_bias);
        }
    }
    return names;
}

/// "a, b, c and 12 more"
std::string some_of(const Names& names) {
    std::string text;
    for (size_t i = 0; i < names.size() && i < 5; ++i) text += (i > 0 ? ", " : "") + names[i];
    if (names.size() > 5) text += format(" and {} more", names.size() - 5);
    return text;
}

}  // namespace

HfModel hf_model(const io::Json& config, const std::string& source) {
    HfModel model;
    model.family = io::require<std::string>(config, "model_type", source);
    if (model.family != "gpt2" && model.family != "llama") {
        throw UsageError(format("{}: model_type \"{}\" is not supported; gpt2 and llama are",
                                source, model.family));
    }
    const bool is_gpt2 = model.family == "gpt2";
    model.num_layers =
        io::require<int64_t>(config, is_gpt2 ? "n_layer" : "num_hidden_layers", source);
    model.is_tied = flag(config, "tie_word_embeddings", is_gpt2);
    model.has_attention_bias = flag(config, "attention_bias", false);
    model.has_mlp_bias = flag(config, "mlp_bias", false);
    for (const char* key : {"torch_dtype", "dtype"}) {
        const auto found = config.find(key);
        if (found != config.end() && found->is_string()) model.torch_dtype = *found;
    }
    return model;
}

Names tensor_names(const HfModel& model) {
    Names names = model.family == "gpt2" ? gpt2_names(model) : llama_names(model);
    if (!model.is_tied) names.push_back(kHeadName);
    std::sort(names.begin(), names.end());
    return names;
}

std::string canonical_name(const HfModel& model, const std::string& name) {
    const bool lacks_prefix =
        model.family == "gpt2" && !name.starts_with("transformer.") && name != kHeadName;
    return lacks_prefix ? "transformer." + name : name;
}

bool is_buffer(const HfModel& model, const std::string& name) {
    if (model.family == "gpt2") {
        return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias");
    }
    return name.ends_with(".rotary_emb.inv_freq");
}

std::string embedding_name(const HfModel& model) {
    return model.family == "gpt2" ? "transformer.wte.weight" : "model.embed_tokens.weight";
}

std::string name_difference(const Names& expected, const Names& there) {
    Names missing;
    Names beyond;
    std::set_difference(expected.begin(), expected.end(), there.begin(), there.end(),
                        std::back_inserter(missing));
    std::set_difference(there.begin(), there.end(), expected.begin(), expected.end(),
                        std::back_inserter(beyond));
    std::string text;
    if (!missing.empty()) text += "missing tensors: " + some_of(missing);
    if (!beyond.empty()) {
        text += (text.empty() ? "" : "; ") + ("unexpected tensors: " + some_of(beyond));
    }
    return text;
}

std::optional<tensor::DType> dtype_of_torch(const std::string& torch_dtype) {
    if (torch_dtype == "float32") return tensor::DType::kF32;
    if (torch_dtype == "bfloat16") return tensor::DType::kBF16;
    if (torch_dtype == "float16") return tensor::DType::kF16;
    return std::nullopt;
}

std::string torch_name(tensor::DType dtype) {
    switch (dtype) {
        case tensor::DType::kBF16:
            return "bfloat16";
        case tensor::DType::kF16:
            return "float16";
        case tensor::DType::kF64:
            return "float64";
        default:
            return "float32";
    }
}

}  // namespace longhaul::ckpt
