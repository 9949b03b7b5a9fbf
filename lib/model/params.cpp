// SPDX-License-Identifier: BSD-3-Clause
// Names and shapes as in transformers' GPT2LMHeadModel and LlamaForCausalLM.
// Initial values: normal, standard deviation init_std; projections into the residual stream divided
// by sqrt(2 L) (Radford et al., "Language Models are Unsupervised Multitask Learners", 2019,
// section 2.3); norms one, biases zero. Weight decay: every tensor of two dimensions.

#include "lib/model/params.h"

#include <cmath>
#include <string>
#include <utility>

#include "lib/base/format.h"
#include "lib/model/transformer.h"

namespace longhaul::model {
namespace {

using parallel::HfPart;
using parallel::Init;
using parallel::ParamSpec;

class Builder {
 public:
    Builder(const ModelConfig& config, tensor::DType compute) : config_(config), compute_(compute) {
        weight_ = Init::normal(config.init_std);
        residual_ =
            Init::normal(config.init_std / std::sqrt(2.0 * static_cast<double>(config.num_layers)));
    }

    ModelParams build() {
        const bool gpt2 = config_.family == Family::kGpt2;
        const std::string tokens = gpt2 ? "transformer.wte.weight" : "model.embed_tokens.weight";
        made_.tokens =
            add("embedding.tokens", tokens, {config_.vocab_size, config_.hidden}, weight_);
        if (gpt2) {
            made_.positions = add("embedding.positions", "transformer.wpe.weight",
                                  {config_.max_seq_len, config_.hidden}, weight_);
        }
        for (int64_t layer = 0; layer < config_.num_layers; ++layer) {
            block_ = static_cast<int>(layer) + 1;
            made_.blocks.push_back(gpt2 ? gpt2_block(layer) : llama_block(layer));
        }
        block_ = static_cast<int>(config_.num_layers) + 1;
        made_.final_norm = norm("final_norm", gpt2 ? "transformer.ln_f" : "model.norm");
        made_.head = {config_.hidden, config_.vocab_size, false, made_.tokens, kNoParam};
        if (!config_.tied_embedding) {
            made_.head.weight =
                add("head", "lm_head.weight", {config_.vocab_size, config_.hidden}, weight_);
        }
        return std::move(made_);
    }

 private:
    ParamIndex add(const std::string& name, const std::string& hf_name, tensor::Shape shape,
                   Init init, std::vector<HfPart> parts = {}) {
        ParamSpec spec;
        spec.name = name;
        spec.hf_name = hf_name;
        spec.decay = shape.size() >= 2;
        spec.shape = std::move(shape);
        spec.dtype = compute_;
        spec.init = init;
        spec.block = block_;
        spec.parts = std::move(parts);
        made_.specs.push_back(std::move(spec));
        return static_cast<ParamIndex>(made_.specs.size()) - 1;
    }

    NormParams norm(const std::string& name, const std::string& hf_name) {
        NormParams made;
        made.weight = add(name + ".weight", hf_name + ".weight", {config_.hidden}, Init::ones());
        if (config_.family == Family::kGpt2) {
            made.bias = add(name + ".bias", hf_name + ".bias", {config_.hidden}, Init::zeros());
        }
        return made;
    }

    /// GPT-2's Conv1D: weight (in, out) and bias.
    LinearParams conv1d(const std::string& name, const std::string& hf_name, int64_t in,
                        int64_t out, Init init) {
        LinearParams made{in, out, true};
        made.weight = add(name + ".weight", hf_name + ".weight", {in, out}, init);
        made.bias = add(name + ".bias", hf_name + ".bias", {out}, Init::zeros());
        return made;
    }

    /// Weight (out, in) that is several tensors of the checkpoint one after the other, and a bias.
    /// hf_prefix + hf_fused names the whole; no checkpoint has a tensor of that name.
    LinearParams fused(const std::string& name, const std::string& hf_prefix,
                       const std::string& hf_fused, const std::vector<HfPart>& parts, bool bias) {
        LinearParams made{config_.hidden, 0, false};
        std::vector<HfPart> weights, biases;
        for (const HfPart& part : parts) {
            weights.push_back({hf_prefix + part.hf_name + ".weight", part.rows});
            biases.push_back({hf_prefix + part.hf_name + ".bias", part.rows});
            made.out += part.rows;
        }
        made.weight = add(name + ".weight", hf_prefix + hf_fused + ".weight", {made.out, made.in},
                          weight_, std::move(weights));
        if (bias) {
            made.bias = add(name + ".bias", hf_prefix + hf_fused + ".bias", {made.out},
                            Init::zeros(), std::move(biases));
        }
        return made;
    }

    LinearParams linear(const std::string& name, const std::string& hf_name, int64_t in,
                        int64_t out, Init init) {
        LinearParams made{in, out, false};
        made.weight = add(name + ".weight", hf_name + ".weight", {out, in}, init);
        return made;
    }

    BlockParams gpt2_block(int64_t layer) {
        const std::string name = format("blocks.{}.", layer);
        const std::string hf = format("transformer.h.{}.", layer);
        const int64_t hidden = config_.hidden;
        BlockParams made;
        made.norm1 = norm(name + "norm1", hf + "ln_1");
        made.qkv = conv1d(name + "qkv", hf + "attn.c_attn", hidden, 3 * hidden, weight_);
        made.proj = conv1d(name + "proj", hf + "attn.c_proj", hidden, hidden, residual_);
        made.norm2 = norm(name + "norm2", hf + "ln_2");
        made.up = conv1d(name + "up", hf + "mlp.c_fc", hidden, config_.ffn_hidden, weight_);
        made.down = conv1d(name + "down", hf + "mlp.c_proj", config_.ffn_hidden, hidden, residual_);
        return made;
    }

    BlockParams llama_block(int64_t layer) {
        const std::string name = format("blocks.{}.", layer);
        const std::string hf = format("model.layers.{}.", layer);
        const std::string attention = hf + "self_attn.";
        const int64_t q_rows = config_.attention_columns();
        const int64_t kv_rows = config_.num_kv_heads * config_.head_dim;
        BlockParams made;
        made.norm1 = norm(name + "norm1", hf + "input_layernorm");
        made.qkv =
            fused(name + "qkv", attention, "qkv_proj",
                  {{"q_proj", q_rows}, {"k_proj", kv_rows}, {"v_proj", kv_rows}}, config_.qkv_bias);
        if (config_.qk_norm) {
            made.q_norm =
                add(name + "q_norm", attention + "q_norm.weight", {config_.head_dim}, Init::ones());
            made.k_norm =
                add(name + "k_norm", attention + "k_norm.weight", {config_.head_dim}, Init::ones());
        }
        made.proj = linear(name + "proj", attention + "o_proj", q_rows, config_.hidden, residual_);
        made.norm2 = norm(name + "norm2", hf + "post_attention_layernorm");
        made.up =
            fused(name + "gate_up", hf + "mlp.", "gate_up_proj",
                  {{"gate_proj", config_.ffn_hidden}, {"up_proj", config_.ffn_hidden}}, false);
        made.down = linear(name + "down", hf + "mlp.down_proj", config_.ffn_hidden, config_.hidden,
                           residual_);
        return made;
    }

    const ModelConfig& config_;
    tensor::DType compute_;
    Init weight_, residual_;
    int block_ = 0;
    ModelParams made_;
};

}  // namespace

ModelParams build_params(const ModelConfig& config, tensor::DType compute) {
    return Builder(config, compute).build();
}

std::vector<parallel::ParamSpec> param_specs(const ModelConfig& config, tensor::DType compute) {
    return build_params(config, compute).specs;
}

int64_t num_parameters(const ModelConfig& config) {
    int64_t count = 0;
    for (const ParamSpec& spec : build_params(config, tensor::DType::kF32).specs) {
        count += tensor::num_elements(spec.shape);
    }
    return count;
}

}  // namespace longhaul::model
