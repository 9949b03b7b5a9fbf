// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The shape of a decoder-only transformer: GPT-2 and Llama families (Llama also covers Mistral and
// Qwen: grouped queries, QKV bias, QK norm). Values only; no tensor and no memory.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace longhaul::model {

enum class Family : uint8_t {
    kGpt2,   // LayerNorm, learned positions, biases, GELU (tanh form), tied head
    kLlama,  // RMSNorm, rotary positions, SwiGLU, grouped queries
};
std::string_view name_of(Family family);  // "gpt2", "llama"
std::optional<Family> family_from_name(std::string_view name);

/// Stretches low rotary frequencies beyond the trained context, as Llama 3.1 does.
/// Source: transformers, modeling_rope_utils, rope_type "llama3".
struct RopeScaling {
    double factor = 1;  // 1: off
    double low_freq_factor = 1;
    double high_freq_factor = 4;
    int64_t original_max_seq_len = 8192;

    bool is_on() const { return factor != 1; }
    bool operator==(const RopeScaling&) const = default;
};

struct ModelConfig {
    Family family = Family::kGpt2;
    int64_t num_layers = 12;
    int64_t hidden = 768;
    int64_t num_heads = 12;
    int64_t num_kv_heads = 0;    // 0: num_heads; kGpt2: num_heads
    int64_t head_dim = 0;        // 0: hidden / num_heads
    int64_t ffn_hidden = 0;      // 0: 4 * hidden (kGpt2) or 8/3 * hidden rounded up to 256 (kLlama)
    int64_t vocab_size = 50257;  // rows of the embedding: never padded
    int64_t max_seq_len = 1024;  // kGpt2: rows of the position embedding
    double norm_eps = 1e-5;
    double rope_theta = 10000;
    RopeScaling rope_scaling;
    bool tied_embedding = true;  // the head is the token embedding
    bool qkv_bias = false;       // kLlama only (Qwen2); kGpt2 has all biases
    bool qk_norm = false;  // kLlama only (Qwen3): RMSNorm over each head of q and k before rotation
    double init_std = 0.02;

    bool operator==(const ModelConfig&) const = default;

    int64_t qkv_columns() const { return (num_heads + 2 * num_kv_heads) * head_dim; }
    int64_t attention_columns() const { return num_heads * head_dim; }
};

/// Fills the zeros that mean "derived" and checks everything.
/// @throws UsageError naming the key of [model] in run.toml that is wrong, and why.
ModelConfig complete(ModelConfig config);

/// Multiply-adds count two. Forward and backward: 6 per weight of every matrix product (the input
/// embedding is a look-up, the head is not) plus causal attention 6 L T H D.
/// Source: Chowdhery et al., "PaLM", 2022, appendix B, halved attention term for the causal mask.
double flops_per_token(const ModelConfig& config, int64_t seq_len);

/// Elements of all parameters, a tied head once.
int64_t num_parameters(const ModelConfig& config);

}  // namespace longhaul::model
