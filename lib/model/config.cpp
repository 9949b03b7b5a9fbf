// SPDX-License-Identifier: BSD-3-Clause
#include "lib/model/config.h"

#include <cmath>

#include "lib/base/error.h"

namespace longhaul::model {
namespace {

void require(bool condition, std::string_view key, const std::string& why) {
    if (!condition) throw UsageError(format("[model] {}: {}", key, why));
}

/// Sizes beyond this are slips, and their products would overflow.
constexpr int64_t kMaxSize = int64_t{1} << 24;

void require_size(int64_t value, std::string_view key) {
    require(value > 0, key, format("{} is not positive", value));
    require(value <= kMaxSize, key, format("{} is beyond {}", value, kMaxSize));
}

void fill_derived(ModelConfig& config) {
    if (config.num_kv_heads == 0) config.num_kv_heads = config.num_heads;
    if (config.head_dim == 0) {
        require(config.hidden % config.num_heads == 0, "num_heads",
                format("{} does not divide hidden = {}; choose another or set head_dim",
                       config.num_heads, config.hidden));
        config.head_dim = config.hidden / config.num_heads;
    }
    if (config.ffn_hidden == 0) {
        const bool gpt2 = config.family == Family::kGpt2;
        config.ffn_hidden = gpt2 ? 4 * config.hidden : (8 * config.hidden / 3 + 255) / 256 * 256;
    }
}

void check_gpt2(const ModelConfig& config) {
    require(config.num_kv_heads == config.num_heads, "num_kv_heads",
            "family gpt2 has no grouped queries");
    require(config.head_dim * config.num_heads == config.hidden, "head_dim",
            "family gpt2 needs num_heads * head_dim = hidden");
    require(!config.qk_norm, "qk_norm", "family gpt2 has none");
    require(config.tied_embedding, "tied_embedding", "the head of family gpt2 is always tied");
}

void check_llama(const ModelConfig& config) {
    require(config.num_heads % config.num_kv_heads == 0, "num_kv_heads",
            format("{} does not divide num_heads = {}", config.num_kv_heads, config.num_heads));
    require(config.head_dim % 2 == 0, "head_dim",
            format("{} is odd: rotary positions turn pairs", config.head_dim));
    require(config.rope_theta > 1, "rope_theta", format("{} is not above 1", config.rope_theta));
    const RopeScaling& scaling = config.rope_scaling;
    require(scaling.factor >= 1, "rope_scaling.factor", format("{} is below 1", scaling.factor));
    require(!scaling.is_on() || scaling.high_freq_factor > scaling.low_freq_factor,
            "rope_scaling.high_freq_factor", "must be above low_freq_factor");
}

/// Weights of the matrix products of one layer.
int64_t layer_matrix_weights(const ModelConfig& config) {
    const int64_t matrices = config.family == Family::kGpt2 ? 2 : 3;
    return config.hidden * (config.qkv_columns() + config.attention_columns()) +
           matrices * config.hidden * config.ffn_hidden;
}

}  // namespace

std::string_view name_of(Family family) {
    return family == Family::kGpt2 ? "gpt2" : "llama";
}

std::optional<Family> family_from_name(std::string_view name) {
    for (const Family family : {Family::kGpt2, Family::kLlama}) {
        if (name == name_of(family)) return family;
    }
    return std::nullopt;
}

ModelConfig complete(ModelConfig config) {
    require_size(config.num_layers, "num_layers");
    require_size(config.hidden, "hidden");
    require_size(config.num_heads, "num_heads");
    require(config.num_kv_heads >= 0, "num_kv_heads", "is negative");
    require(config.head_dim >= 0, "head_dim", "is negative");
    fill_derived(config);
    require_size(config.head_dim, "head_dim");
    require_size(config.ffn_hidden, "ffn_hidden");
    require_size(config.vocab_size, "vocab_size");
    require_size(config.max_seq_len, "max_seq_len");
    require(config.norm_eps > 0 && config.norm_eps < 1, "norm_eps", "must lie between 0 and 1");
    require(config.init_std >= 0 && std::isfinite(config.init_std), "init_std", "is negative");
    config.family == Family::kGpt2 ? check_gpt2(config) : check_llama(config);
    return config;
}

double flops_per_token(const ModelConfig& config, int64_t seq_len) {
    const auto layers = static_cast<double>(config.num_layers);
    const double weights =
        layers * static_cast<double>(layer_matrix_weights(config)) +
        static_cast<double>(config.hidden) * static_cast<double>(config.vocab_size);
    const double attention =
        6 * layers * static_cast<double>(seq_len) * static_cast<double>(config.attention_columns());
    return 6 * weights + attention;
}

}  // namespace longhaul::model
