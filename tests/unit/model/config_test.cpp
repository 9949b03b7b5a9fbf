// SPDX-License-Identifier: BSD-3-Clause
#include "lib/model/config.h"

#include <doctest/doctest.h>

#include <set>

#include "lib/base/error.h"
#include "lib/io/json.h"
#include "lib/model/hf_config.h"
#include "lib/model/rope_table.h"
#include "lib/model/transformer.h"

namespace longhaul::model {
namespace {

ModelConfig llama_8b() {
    ModelConfig config;
    config.family = Family::kLlama;
    config.num_layers = 32;
    config.hidden = 4096;
    config.num_heads = 32;
    config.num_kv_heads = 8;
    config.ffn_hidden = 14336;
    config.vocab_size = 128256;
    config.max_seq_len = 131072;
    config.rope_theta = 500000;
    config.rope_scaling = {8, 1, 4, 8192};
    config.tied_embedding = false;
    return config;
}

TEST_CASE("config: GPT-2 124M and Llama 3.1 8B have their published numbers of parameters") {
    CHECK(num_parameters(complete({})) == 124439808);
    CHECK(num_parameters(complete(llama_8b())) == 8030261248);
}

TEST_CASE("config: derived values") {
    const ModelConfig gpt2 = complete({});
    CHECK(gpt2.head_dim == 64);
    CHECK(gpt2.ffn_hidden == 3072);
    CHECK(gpt2.num_kv_heads == 12);
    ModelConfig llama;
    llama.family = Family::kLlama;
    CHECK(complete(llama).ffn_hidden == 2048);
    CHECK(complete(complete(llama)) == complete(llama));
}

TEST_CASE("config: floating-point operations of GPT-2 124M at 1024 tokens") {
    // 6 (12 * 12 * 768^2 + 768 * 50257) + 6 * 12 * 1024 * 768.
    CHECK(flops_per_token(complete({}), 1024) ==
          doctest::Approx(6 * (84934656.0 + 38597376.0) + 56623104.0).epsilon(1e-15));
}

TEST_CASE("config: each mistake is named with its key") {
    const auto refused = [](auto change, const char* text) {
        ModelConfig config = llama_8b();
        change(config);
        CHECK_THROWS_WITH_AS(complete(config), doctest::Contains(text), UsageError);
    };
    refused([](ModelConfig& c) { c.num_layers = 0; }, "[model] num_layers: 0 is not positive");
    refused([](ModelConfig& c) { c.num_heads = 33; }, "33 does not divide hidden = 4096");
    refused([](ModelConfig& c) { c.num_kv_heads = 5; }, "5 does not divide num_heads = 32");
    refused([](ModelConfig& c) { c.head_dim = 33; }, "33 is odd");
    refused([](ModelConfig& c) { c.vocab_size = 0; }, "vocab_size");
    refused([](ModelConfig& c) { c.hidden = int64_t{1} << 40; }, "[model] hidden: 1099511627776");
    refused([](ModelConfig& c) { c.norm_eps = 0; }, "norm_eps");
    refused([](ModelConfig& c) { c.rope_theta = 1; }, "rope_theta");
    refused([](ModelConfig& c) { c.rope_scaling.factor = 0.5; }, "rope_scaling.factor");
    refused(
        [](ModelConfig& c) {
            c.family = Family::kGpt2;
            c.num_kv_heads = 8;
        },
        "no grouped queries");
}

TEST_CASE("config: specs have unique names, whole parts, rising blocks and one tied tensor less") {
    for (ModelConfig config : {complete({}), complete(llama_8b())}) {
        std::set<std::string> names;
        int block = 0;
        for (const parallel::ParamSpec& spec : param_specs(config)) {
            CHECK(names.insert(spec.hf_name).second);
            CHECK(spec.block >= block);
            block = spec.block;
            CHECK(spec.decay == (spec.shape.size() == 2));
            int64_t rows = 0;
            for (const parallel::HfPart& part : spec.parts) {
                CHECK(names.insert(part.hf_name).second);
                rows += part.rows;
            }
            if (!spec.parts.empty()) CHECK(rows == spec.shape[0]);
        }
        CHECK(block == config.num_layers + 1);
        CHECK(names.contains("lm_head.weight") == !config.tied_embedding);
    }
}

TEST_CASE("config: Llama 3.1 keeps high, stretches low rotary frequencies") {
    const ModelConfig config = complete(llama_8b());
    const std::vector<double> frequencies = rope_frequencies(config);
    REQUIRE(frequencies.size() == 64);
    CHECK(frequencies[0] == 1);
    CHECK(frequencies[63] == doctest::Approx(std::pow(500000.0, -126.0 / 128) / 8).epsilon(1e-14));
}

TEST_CASE("config: config.json and back, for every architecture") {
    ModelConfig gpt2 = complete({});
    ModelConfig llama = complete(llama_8b());
    ModelConfig qwen2 = llama;
    qwen2.qkv_bias = true;
    ModelConfig qwen3 = llama;
    qwen3.qk_norm = true;
    qwen3.head_dim = 256;
    for (const ModelConfig& config : {gpt2, llama, qwen2, qwen3}) {
        CHECK(from_hf_config_json(to_hf_config_json(config), "config.json") == config);
    }
    const io::Json json = io::parse_json(to_hf_config_json(llama, "bfloat16"), "x");
    CHECK(json["architectures"][0] == "LlamaForCausalLM");
    CHECK(json["torch_dtype"] == "bfloat16");
}

TEST_CASE("config: a config.json that asks for something else is refused by key") {
    const auto refused = [](const char* key, const io::Json& value, const char* text) {
        io::Json json = io::parse_json(to_hf_config_json(complete(llama_8b())), "x");
        json[key] = value;
        CHECK_THROWS_WITH_AS(from_hf_config_json(io::to_line(json), "m/config.json"),
                             doctest::Contains(text), DataError);
    };
    refused("model_type", "bert", "m/config.json: model_type = \"bert\" is not supported");
    refused("hidden_act", "gelu", "hidden_act");
    refused("attention_bias", true, "attention_bias");
    refused("rope_scaling", {{"rope_type", "yarn"}}, "rope_type = \"yarn\"");
    refused("num_hidden_layers", "many", "num_hidden_layers");
    CHECK_THROWS_AS(from_hf_config_json("{\"model_type\": \"llama\"}", "c"), DataError);
    CHECK_THROWS_AS(from_hf_config_json("[1", "c"), DataError);
}

}  // namespace
}  // namespace longhaul::model
