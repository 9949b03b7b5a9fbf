// SPDX-License-Identifier: BSD-3-Clause
// Keys as in transformers' GPT2Config, LlamaConfig, Qwen2Config and Qwen3Config.

#include "lib/model/hf_config.h"

#include "lib/base/error.h"
#include "lib/io/json.h"

namespace longhaul::model {
namespace {

using io::Json;

/// Reads optional and required keys of one config.json.
class Reader {
 public:
    Reader(const Json& json, const std::string& source) : json_(json), source_(source) {}

    template <class T>
    T get(const char* key) const {
        return io::require<T>(json_, key, source_);
    }
    template <class T>
    T get_or(const char* key, T fallback) const {
        return has(key) ? get<T>(key) : fallback;
    }
    bool has(const char* key) const { return json_.contains(key) && !json_[key].is_null(); }
    /// Refuses a model that uses what we do not compute.
    void expect(bool good, const char* key) const {
        if (good) return;
        throw DataError(format("{}: {} = {} is not supported", source_, key,
                               has(key) ? io::to_line(json_[key]) : "(absent)"));
    }

 private:
    const Json& json_;
    const std::string& source_;
};

ModelConfig read_gpt2(const Reader& reader) {
    ModelConfig config;
    config.family = Family::kGpt2;
    config.num_layers = reader.get<int64_t>("n_layer");
    config.hidden = reader.get<int64_t>("n_embd");
    config.num_heads = reader.get<int64_t>("n_head");
    config.ffn_hidden = reader.get_or<int64_t>("n_inner", 4 * config.hidden);
    config.max_seq_len = reader.get<int64_t>("n_positions");
    config.norm_eps = reader.get_or("layer_norm_epsilon", 1e-5);
    const auto activation = reader.get_or<std::string>("activation_function", "gelu_new");
    reader.expect(activation == "gelu_new" || activation == "gelu_pytorch_tanh",
                  "activation_function");
    reader.expect(reader.get_or("scale_attn_weights", true), "scale_attn_weights");
    reader.expect(!reader.get_or("scale_attn_by_inverse_layer_idx", false),
                  "scale_attn_by_inverse_layer_idx");
    reader.expect(!reader.get_or("add_cross_attention", false), "add_cross_attention");
    reader.expect(reader.get_or("tie_word_embeddings", true), "tie_word_embeddings");
    return config;
}

RopeScaling read_rope_scaling(const Json& json, const std::string& source) {
    const std::string inner = source + ": rope_scaling";
    const Reader reader(json, inner);
    const auto type =
        reader.get_or<std::string>("rope_type", reader.get_or<std::string>("type", "default"));
    if (type == "default") return {};
    reader.expect(type == "llama3", "rope_type");
    RopeScaling scaling;
    scaling.factor = reader.get<double>("factor");
    scaling.low_freq_factor = reader.get<double>("low_freq_factor");
    scaling.high_freq_factor = reader.get<double>("high_freq_factor");
    scaling.original_max_seq_len = reader.get<int64_t>("original_max_position_embeddings");
    return scaling;
}

ModelConfig read_llama(const Reader& reader, const Json& json, const std::string& type,
                       const std::string& source) {
    ModelConfig config;
    config.family = Family::kLlama;
    config.num_layers = reader.get<int64_t>("num_hidden_layers");
    config.hidden = reader.get<int64_t>("hidden_size");
    config.num_heads = reader.get<int64_t>("num_attention_heads");
    config.num_kv_heads = reader.get_or("num_key_value_heads", config.num_heads);
    config.head_dim = reader.get_or<int64_t>("head_dim", 0);
    config.ffn_hidden = reader.get<int64_t>("intermediate_size");
    config.max_seq_len = reader.get<int64_t>("max_position_embeddings");
    config.norm_eps = reader.get_or("rms_norm_eps", 1e-6);
    config.rope_theta = reader.get_or("rope_theta", 10000.0);
    config.tied_embedding = reader.get_or("tie_word_embeddings", false);
    config.qkv_bias = type == "qwen2";
    config.qk_norm = type == "qwen3";
    if (reader.has("rope_scaling")) {
        config.rope_scaling = read_rope_scaling(json["rope_scaling"], source);
    }
    reader.expect(reader.get_or<std::string>("hidden_act", "silu") == "silu", "hidden_act");
    reader.expect(!reader.get_or("attention_bias", false), "attention_bias");
    reader.expect(!reader.get_or("mlp_bias", false), "mlp_bias");
    const bool windowed = type == "mistral" || reader.get_or("use_sliding_window", false);
    if (windowed && reader.has("sliding_window")) {
        reader.expect(reader.get<int64_t>("sliding_window") >= config.max_seq_len,
                      "sliding_window");
    }
    return config;
}

Json gpt2_json(const ModelConfig& config) {
    return {{"architectures", {"GPT2LMHeadModel"}},
            {"model_type", "gpt2"},
            {"activation_function", "gelu_new"},
            {"n_layer", config.num_layers},
            {"n_embd", config.hidden},
            {"n_head", config.num_heads},
            {"n_inner", config.ffn_hidden},
            {"n_positions", config.max_seq_len},
            {"n_ctx", config.max_seq_len},
            {"layer_norm_epsilon", config.norm_eps},
            {"attn_pdrop", 0.0},
            {"embd_pdrop", 0.0},
            {"resid_pdrop", 0.0}};
}

Json llama_json(const ModelConfig& config) {
    const char* type = config.qk_norm ? "qwen3" : config.qkv_bias ? "qwen2" : "llama";
    const char* name = config.qk_norm    ? "Qwen3ForCausalLM"
                       : config.qkv_bias ? "Qwen2ForCausalLM"
                                         : "LlamaForCausalLM";
    Json json = {{"architectures", {name}},
                 {"model_type", type},
                 {"hidden_act", "silu"},
                 {"num_hidden_layers", config.num_layers},
                 {"hidden_size", config.hidden},
                 {"num_attention_heads", config.num_heads},
                 {"num_key_value_heads", config.num_kv_heads},
                 {"head_dim", config.head_dim},
                 {"intermediate_size", config.ffn_hidden},
                 {"max_position_embeddings", config.max_seq_len},
                 {"rms_norm_eps", config.norm_eps},
                 {"rope_theta", config.rope_theta},
                 {"attention_bias", false},
                 {"attention_dropout", 0.0},
                 {"mlp_bias", false}};
    if (config.rope_scaling.is_on()) {
        const RopeScaling& scaling = config.rope_scaling;
        json["rope_scaling"] = {{"rope_type", "llama3"},
                                {"factor", scaling.factor},
                                {"low_freq_factor", scaling.low_freq_factor},
                                {"high_freq_factor", scaling.high_freq_factor},
                                {"original_max_position_embeddings", scaling.original_max_seq_len}};
    }
    return json;
}

}  // namespace

std::string to_hf_config_json(const ModelConfig& given, std::string_view dtype) {
    const ModelConfig config = complete(given);
    if (config.qkv_bias && config.head_dim * config.num_heads != config.hidden) {
        throw UsageError("[model] qkv_bias: Qwen2ForCausalLM needs num_heads * head_dim = hidden");
    }
    if (config.qkv_bias && config.qk_norm) {
        throw UsageError("[model] qkv_bias with qk_norm: transformers has no such architecture");
    }
    Json json = config.family == Family::kGpt2 ? gpt2_json(config) : llama_json(config);
    json["vocab_size"] = config.vocab_size;
    json["tie_word_embeddings"] = config.tied_embedding;
    json["initializer_range"] = config.init_std;
    json["torch_dtype"] = dtype;
    json["bos_token_id"] = nullptr;  // the defaults lie outside a small vocabulary
    json["eos_token_id"] = nullptr;
    json["use_cache"] = true;
    return io::to_pretty(json);
}

ModelConfig from_hf_config_json(std::string_view text, const std::string& source) {
    const Json json = io::parse_json(text, source);
    const Reader reader(json, source);
    const auto type = reader.get<std::string>("model_type");
    const bool llama = type == "llama" || type == "mistral" || type == "qwen2" || type == "qwen3";
    reader.expect(llama || type == "gpt2", "model_type");
    ModelConfig config = llama ? read_llama(reader, json, type, source) : read_gpt2(reader);
    config.vocab_size = reader.get<int64_t>("vocab_size");
    config.init_std = reader.get_or("initializer_range", 0.02);
    return with_context([&] { return complete(config); }, "{}", source);
}

}  // namespace longhaul::model
