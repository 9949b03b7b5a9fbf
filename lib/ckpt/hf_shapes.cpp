// SPDX-License-Identifier: BSD-3-Clause
// Shapes as transformers makes them: Llama's Linear weights are (out, in), GPT-2's Conv1D weights
// are (in, out).
#include "lib/ckpt/hf_shapes.h"

#include "lib/base/error.h"
#include "lib/io/json.h"

namespace longhaul::ckpt {
namespace {

using tensor::Shape;

constexpr int64_t kLargestSize = int64_t{1} << 31;  // products of two stay in 64 bits

/// The sizes in one config.json.
class Sizes {
 public:
    Sizes(const io::Json& config, const std::string& source) : config_(config), source_(source) {}

    int64_t get(const char* key) const {
        const auto found = config_.find(key);
        if (found == config_.end()) throw DataError(format("{}: {}: missing", source_, key));
        const bool is_good = found->is_number_integer() && *found >= 1 && *found <= kLargestSize;
        if (!is_good) {
            throw DataError(format("{}: {} = {}: a whole number from 1 to {} is expected", source_,
                                   key, io::to_line(*found), kLargestSize));
        }
        return found->get<int64_t>();
    }

    int64_t get_or(const char* key, int64_t otherwise) const {
        const auto found = config_.find(key);
        return found == config_.end() || found->is_null() ? otherwise : get(key);
    }

    void check_divides(const char* key, int64_t divisor, const char* of, int64_t value) const {
        if (value % divisor == 0) return;
        throw DataError(
            format("{}: {} = {} does not divide {} = {}", source_, key, divisor, of, value));
    }

 private:
    const io::Json& config_;
    const std::string& source_;
};

/// Expected shapes by the end of the tensor's name behind the layer's number.
using Expected = std::map<std::string, Shape>;

Expected gpt2_shapes(const Sizes& sizes) {
    const int64_t hidden = sizes.get("n_embd");
    sizes.check_divides("n_head", sizes.get("n_head"), "n_embd", hidden);
    const int64_t inner = sizes.get_or("n_inner", 4 * hidden);
    const int64_t vocabulary = sizes.get("vocab_size");
    Expected shapes{{"transformer.wte.weight", {vocabulary, hidden}},
                    {"transformer.wpe.weight", {sizes.get("n_positions"), hidden}},
                    {kHeadName, {vocabulary, hidden}},
                    {"attn.c_attn.weight", {hidden, 3 * hidden}},
                    {"attn.c_attn.bias", {3 * hidden}},
                    {"attn.c_proj.weight", {hidden, hidden}},
                    {"attn.c_proj.bias", {hidden}},
                    {"mlp.c_fc.weight", {hidden, inner}},
                    {"mlp.c_fc.bias", {inner}},
                    {"mlp.c_proj.weight", {inner, hidden}},
                    {"mlp.c_proj.bias", {hidden}}};
    for (const char* norm : {"ln_1", "ln_2", "transformer.ln_f"}) {
        shapes[format("{}.weight", norm)] = {hidden};
        shapes[format("{}.bias", norm)] = {hidden};
    }
    return shapes;
}

Expected llama_shapes(const Sizes& sizes) {
    const int64_t hidden = sizes.get("hidden_size");
    const int64_t heads = sizes.get("num_attention_heads");
    const int64_t groups = sizes.get_or("num_key_value_heads", heads);
    sizes.check_divides("num_key_value_heads", groups, "num_attention_heads", heads);
    const int64_t given_head = sizes.get_or("head_dim", 0);
    if (given_head == 0) {
        sizes.check_divides("num_attention_heads", heads, "hidden_size", hidden);
    }
    const int64_t head = given_head > 0 ? given_head : hidden / heads;
    const int64_t inner = sizes.get("intermediate_size");
    const int64_t vocabulary = sizes.get("vocab_size");
    sizes.get("max_position_embeddings");
    return {{"model.embed_tokens.weight", {vocabulary, hidden}},
            {kHeadName, {vocabulary, hidden}},
            {"model.norm.weight", {hidden}},
            {"input_layernorm.weight", {hidden}},
            {"post_attention_layernorm.weight", {hidden}},
            {"self_attn.q_proj.weight", {heads * head, hidden}},
            {"self_attn.q_proj.bias", {heads * head}},
            {"self_attn.k_proj.weight", {groups * head, hidden}},
            {"self_attn.k_proj.bias", {groups * head}},
            {"self_attn.v_proj.weight", {groups * head, hidden}},
            {"self_attn.v_proj.bias", {groups * head}},
            {"self_attn.o_proj.weight", {hidden, heads * head}},
            {"self_attn.o_proj.bias", {hidden}},
            {"mlp.gate_proj.weight", {inner, hidden}},
            {"mlp.gate_proj.bias", {inner}},
            {"mlp.up_proj.weight", {inner, hidden}},
            {"mlp.up_proj.bias", {inner}},
            {"mlp.down_proj.weight", {hidden, inner}},
            {"mlp.down_proj.bias", {hidden}}};
}

/// "model.layers.12.mlp.up_proj.weight" gives "mlp.up_proj.weight"; other names stay.
std::string behind_layer(const std::string& name) {
    for (const std::string prefix : {"model.layers.", "transformer.h."}) {
        if (!name.starts_with(prefix)) continue;
        const size_t dot = name.find('.', prefix.size());
        if (dot != std::string::npos) return name.substr(dot + 1);
    }
    return name;
}

std::string text_of(const Shape& shape) {
    std::string text;
    for (const int64_t extent : shape) text += format("{}{}", text.empty() ? "" : "x", extent);
    return text.empty() ? "scalar" : text;
}

}  // namespace

void check_shapes(const io::Json& config, const HfModel& model, const TensorShapes& there,
                  const std::string& source) {
    const bool is_gpt2 = model.family == "gpt2";
    const Sizes sizes(config, source);
    const char* layers_key = is_gpt2 ? "n_layer" : "num_hidden_layers";
    const int64_t layers = sizes.get(layers_key);
    if (layers > static_cast<int64_t>(there.size())) {
        throw DataError(format("{}: {} = {}, but there are only {} tensors", source, layers_key,
                               layers, there.size()));
    }
    const Expected expected = is_gpt2 ? gpt2_shapes(sizes) : llama_shapes(sizes);
    for (const auto& [name, shape] : there) {
        const auto found = expected.find(behind_layer(name));
        if (found == expected.end() || found->second == shape) continue;
        throw DataError(format("{}: tensor {} must be {} by it, but is {}", source, name,
                               text_of(found->second), text_of(shape)));
    }
}

}  // namespace longhaul::ckpt
