// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/placement.h"

#include <array>
#include <charconv>

#include "lib/io/json.h"

namespace longhaul::ckpt {
namespace {

enum class Heads { kNone, kQuery, kKeyValue };

struct Rule {
    std::string_view suffix;
    int axis;
    int64_t fused;
    Heads heads;
};

// HF shapes: Llama's Linear weights are (out, in), GPT-2's Conv1D weights are (in, out).
constexpr std::array kRules{
    Rule{"embed_tokens.weight", 0, 1, Heads::kNone},
    Rule{"lm_head.weight", 0, 1, Heads::kNone},
    Rule{"q_proj.weight", 0, 1, Heads::kQuery},
    Rule{"q_proj.bias", 0, 1, Heads::kQuery},
    Rule{"k_proj.weight", 0, 1, Heads::kKeyValue},
    Rule{"k_proj.bias", 0, 1, Heads::kKeyValue},
    Rule{"v_proj.weight", 0, 1, Heads::kKeyValue},
    Rule{"v_proj.bias", 0, 1, Heads::kKeyValue},
    Rule{"o_proj.weight", 1, 1, Heads::kQuery},
    Rule{"gate_proj.weight", 0, 1, Heads::kNone},
    Rule{"up_proj.weight", 0, 1, Heads::kNone},
    Rule{"down_proj.weight", 1, 1, Heads::kNone},
    Rule{"wte.weight", 0, 1, Heads::kNone},
    Rule{"attn.c_attn.weight", 1, 3, Heads::kQuery},
    Rule{"attn.c_attn.bias", 0, 3, Heads::kQuery},
    Rule{"attn.c_proj.weight", 0, 1, Heads::kQuery},
    Rule{"mlp.c_fc.weight", 1, 1, Heads::kNone},
    Rule{"mlp.c_fc.bias", 0, 1, Heads::kNone},
    Rule{"mlp.c_proj.weight", 0, 1, Heads::kNone},
};

int64_t first_number(const io::Json& object, std::initializer_list<const char*> keys,
                     int64_t otherwise) {
    for (const char* key : keys) {
        const auto found = object.find(key);
        if (found != object.end() && found->is_number_integer() && found->get<int64_t>() > 0) {
            return found->get<int64_t>();
        }
    }
    return otherwise;
}

}  // namespace

ModelShape model_shape(const std::string& hf_config_json) {
    ModelShape shape;
    if (hf_config_json.empty()) return shape;
    const io::Json config = io::parse_json(hf_config_json, "hf_config");
    if (!config.is_object()) return shape;
    shape.num_layers = first_number(config, {"num_hidden_layers", "n_layer"}, 0);
    shape.num_heads = first_number(config, {"num_attention_heads", "n_head"}, 1);
    shape.num_kv_heads = first_number(config, {"num_key_value_heads"}, shape.num_heads);
    return shape;
}

Placement placement_of(const std::string& tensor, const ModelShape& model) {
    for (const Rule& rule : kRules) {
        if (!tensor.ends_with(rule.suffix)) continue;
        const int64_t units = rule.heads == Heads::kQuery      ? model.num_heads
                              : rule.heads == Heads::kKeyValue ? model.num_kv_heads
                                                               : 0;
        return {rule.axis, rule.fused, units};
    }
    return {};
}

std::vector<tensor::Box> tp_boxes(const tensor::Shape& shape, const Placement& placement,
                                  int64_t tp, int64_t index) {
    const tensor::Box whole = tensor::Box::whole(shape);
    const auto axis = static_cast<size_t>(std::max(0, placement.axis));
    const bool can_cut =
        placement.axis >= 0 && tp > 1 && axis < shape.size() && shape[axis] % placement.fused == 0;
    if (!can_cut) return index == 0 ? std::vector{whole} : std::vector<tensor::Box>{};
    const int64_t block = shape[axis] / placement.fused;
    const bool in_units = placement.units > 1 && block % placement.units == 0;
    const int64_t unit = in_units ? block / placement.units : 1;
    const tensor::Range range = tensor::split_evenly(block / unit, tp, index);
    std::vector<tensor::Box> boxes;
    for (int64_t i = 0; range.count > 0 && i < placement.fused; ++i) {
        boxes.push_back(whole);
        boxes.back().offset[axis] = i * block + range.first * unit;
        boxes.back().extent[axis] = range.count * unit;
    }
    return boxes;
}

std::optional<int64_t> layer_of(const std::string& tensor) {
    for (const std::string_view marker : {".layers.", ".h."}) {
        const size_t at = ("." + tensor).find(marker);
        if (at == std::string::npos) continue;
        const char* begin = tensor.data() + at + marker.size() - 1;
        const char* end = tensor.data() + tensor.size();
        int64_t layer = 0;
        const auto [stop, error] = std::from_chars(begin, end, layer);
        if (error == std::errc() && stop != end && *stop == '.') return layer;
    }
    return std::nullopt;
}

int64_t stage_of(const std::string& tensor, const ModelShape& model, int64_t pp) {
    const auto layer = layer_of(tensor);
    if (!layer) {
        const bool is_first = tensor.find("embed") != std::string::npos ||
                              tensor.ends_with("wte.weight") || tensor.ends_with("wpe.weight");
        return is_first ? 0 : pp - 1;
    }
    for (int64_t stage = 0; stage < pp; ++stage) {
        const tensor::Range range = tensor::split_evenly(model.num_layers, pp, stage);
        if (*layer >= range.first && *layer < range.first + range.count) return stage;
    }
    return 0;
}

}  // namespace longhaul::ckpt
