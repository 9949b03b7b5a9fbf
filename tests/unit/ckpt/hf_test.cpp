// SPDX-License-Identifier: BSD-3-Clause
// tests/data/ckpt/hf was written by transformers (make_hf.py); check_export_hf.py repeats the proof
// with the real library.
#include "lib/ckpt/hf.h"

#include <doctest/doctest.h>

#include <fstream>

#include "lib/base/error.h"
#include "lib/ckpt/cast.h"
#include "lib/ckpt/diff.h"
#include "lib/ckpt/placement.h"
#include "lib/ckpt/reshard.h"
#include "lib/ckpt/safetensors.h"
#include "lib/io/file.h"
#include "tests/unit/ckpt/support.h"

using namespace longhaul;
using namespace longhaul::ckpt;
using namespace longhaul::ckpt::test;
namespace fs = std::filesystem;

namespace {

fs::path data(const std::string& name) {
    return fs::path(std::getenv("LONGHAUL_TEST_DATA")) / "ckpt" / "hf" / name;
}

}  // namespace

TEST_CASE("hf: import, reshard and export give the file that transformers wrote, byte for byte") {
    for (const char* name : {"gpt2", "llama"}) {
        const TempDir dir;
        import_hf(data(name), dir / "a", {});
        ReshardOptions options;
        options.layout = parse_layout("tp=2,pp=2,dp_shard=3,zero=1");
        reshard(Checkpoint::open(dir / "a"), dir / "b", options);
        export_hf(Checkpoint::open(dir / "b"), dir / "out", {});
        for (const char* file : {"model.safetensors", "config.json"}) {
            CHECK(io::read_text_file(dir / "out" / file) == io::read_text_file(data(name) / file));
        }
    }
}

TEST_CASE("hf: sharded bf16 folders come back with equal tensors, in shards again") {
    const TempDir dir;
    const fs::path source = data("llama-tied-bf16-sharded");
    import_hf(source, dir / "a", {});
    const Checkpoint imported = Checkpoint::open(dir / "a");
    CHECK(imported.manifest().tensors[0].dtype == tensor::DType::kF32);
    CHECK(imported.find("lm_head.weight", Kind::kMaster) == nullptr);
    HfExportOptions options;
    options.max_shard_bytes = 9000;
    const auto result = export_hf(imported, dir / "out", options);
    CHECK(result.num_files > 1);
    import_hf(dir / "out", dir / "b", {});
    CHECK(Checkpoint::open(dir / "b").manifest().tensors == imported.manifest().tensors);
    CHECK(io::read_text_file(dir / "out" / "config.json") ==
          io::read_text_file(source / "config.json"));
}

TEST_CASE("hf: a missing shard, a missing tensor and a stranger are named") {
    const TempDir dir;
    fs::copy(data("llama-tied-bf16-sharded"), dir / "hf", fs::copy_options::recursive);
    fs::remove(dir / "hf" / "model-00002-of-00003.safetensors");
    CHECK_THROWS_WITH_AS(import_hf(dir / "hf", dir / "x", {}),
                         doctest::Contains("model-00002-of-00003.safetensors is missing"),
                         DataError);
    fs::remove(dir / "hf" / "model.safetensors.index.json");
    fs::copy(dir / "hf" / "model-00001-of-00003.safetensors", dir / "hf" / "model.safetensors");
    CHECK_THROWS_WITH_AS(import_hf(dir / "hf", dir / "x", {}), doctest::Contains("missing tensors"),
                         DataError);
    CHECK_FALSE(fs::exists(dir / "x"));
    fs::create_directories(dir / "other");
    std::ofstream(dir / "other" / "config.json") << R"({"model_type":"bert"})";
    CHECK_THROWS_WITH_AS(import_hf(dir / "other", dir / "x", {}), doctest::Contains("bert"),
                         UsageError);
}

TEST_CASE("hf: a config.json that does not describe its tensors is refused by key or tensor") {
    struct Case {
        const char* model;
        const char* from;
        const char* to;
        const char* message;
    };
    const std::vector<Case> cases{
        {"llama", "\"hidden_size\": 24", "\"hidden_size\": 0", "hidden_size = 0"},
        {"llama", "\"hidden_size\": 24", "\"hidden_size\": -64", "hidden_size = -64"},
        {"llama", "\"hidden_size\": 24", "\"hidden_size\": 1e300", "hidden_size = 1e+300"},
        {"llama", "\"hidden_size\": 24", "\"hidden_size\": \"24\"", "whole number"},
        {"llama", "\"hidden_size\": 24", "\"hidden_size\": 48", "must be 101x48"},
        {"llama", "_heads\": 6", "_heads\": 0", "num_attention_heads = 0"},
        {"llama", "_heads\": 6", "_heads\": 9", "self_attn.o_proj.weight must be 24x36"},
        {"llama", "value_heads\": 3", "value_heads\": 4", "does not divide num_attention_heads"},
        {"llama", "\"head_dim\": 4,", "\"head_dim\": null,", ""},
        {"llama", "\"vocab_size\": 101", "\"x\": 1", "vocab_size: missing"},
        {"llama", "_layers\": 2", "_layers\": 1000000000", "only 21 tensors"},
        {"llama", "_layers\": 2", "_layers\": 99999999999999", "num_hidden_layers"},
        {"gpt2", "\"n_head\": 3", "\"n_head\": 5", "n_head = 5 does not divide n_embd = 12"},
        {"gpt2", "\"n_inner\": null", "\"n_inner\": 40", "mlp.c_fc.bias must be 40"},
        {"gpt2", "\"n_positions\": 16", "\"n_positions\": 17", "wpe.weight must be 17x12"},
    };
    for (const Case& item : cases) {
        const TempDir dir;
        fs::copy(data(item.model), dir / "hf", fs::copy_options::recursive);
        std::string config = io::read_text_file(data(item.model) / "config.json");
        const size_t at = config.find(item.from);
        REQUIRE(at != std::string::npos);
        config.replace(at, std::string(item.from).size(), item.to);
        fs::remove(dir / "hf" / "config.json");
        std::ofstream(dir / "hf" / "config.json") << config;
        INFO(item.to);
        if (*item.message == 0) {
            CHECK_NOTHROW(import_hf(dir / "hf", dir / "x", {}));
        } else {
            CHECK_THROWS_WITH_AS(import_hf(dir / "hf", dir / "x", {}),
                                 doctest::Contains(item.message), DataError);
            CHECK_FALSE(fs::exists(dir / "x"));
        }
    }
}

TEST_CASE("hf: force replaces earlier imports and exports, nothing else") {
    const TempDir dir;
    import_hf(data("gpt2"), dir / "a", {});
    HfImportOptions import_options;
    import_options.force = true;
    import_hf(data("gpt2"), dir / "a" / "", import_options);
    const Checkpoint checkpoint = Checkpoint::open(dir / "a");
    HfExportOptions options;
    options.force = true;
    export_hf(checkpoint, dir / "out", options);
    export_hf(checkpoint, dir / "out", options);
    for (const fs::path& bad : {dir / "a", dir.path(), dir / "a" / "hf", fs::path()}) {
        CHECK_THROWS_AS(export_hf(checkpoint, bad, options), UsageError);
    }
    CHECK_THROWS_AS(import_hf(dir / "out", dir / "out", import_options), UsageError);
    CHECK_THROWS_AS(import_hf(data("gpt2"), dir / "out", import_options), UsageError);
    std::ofstream(dir / "out" / "notes.txt") << "mine";
    CHECK_THROWS_WITH_AS(export_hf(checkpoint, dir / "out", options),
                         doctest::Contains("notes.txt"), UsageError);
    CHECK(fs::exists(dir / "out" / "notes.txt"));
}

TEST_CASE("hf: GPT-2 files without prefix, with masks and a stored tied head") {
    const TempDir dir;
    const fs::path source = data("gpt2") / "model.safetensors";
    const SafetensorsHeader header = read_safetensors_header(source);
    const std::string payload = io::read_text_file(source).substr(header.data_offset);
    std::vector<SafeTensor> tensors;
    std::string embedding;
    for (SafeTensor tensor : header.tensors) {
        if (tensor.name == "transformer.wte.weight") {
            embedding = payload.substr(tensor.begin, tensor.end - tensor.begin);
        }
        tensor.name = tensor.name.substr(std::string("transformer.").size());
        tensors.push_back(tensor);
    }
    tensors.push_back(
        {"lm_head.weight", "F32", {101, 12}, payload.size(), payload.size() + embedding.size()});
    tensors.push_back({"h.0.attn.bias",
                       "U8",
                       {1, 1, 2, 2},
                       payload.size() + embedding.size(),
                       payload.size() + embedding.size() + 4});
    fs::create_directories(dir / "hf");
    fs::copy(data("gpt2") / "config.json", dir / "hf" / "config.json");
    const auto write = [&](const std::string& head) {
        std::ofstream(dir / "hf" / "model.safetensors", std::ios::binary)
            << safetensors_prefix(tensors, {}) << payload << head << "abcd";
    };
    write(embedding);
    import_hf(dir / "hf", dir / "a", {});
    import_hf(data("gpt2"), dir / "b", {});
    CHECK(Checkpoint::open(dir / "a").manifest().tensors ==
          Checkpoint::open(dir / "b").manifest().tensors);
    embedding[100] ^= 1;
    write(embedding);
    CHECK_THROWS_WITH_AS(import_hf(dir / "hf", dir / "c", {}), doctest::Contains("tied"),
                         DataError);
}

TEST_CASE("placement: fused columns, grouped heads and stages") {
    const ModelShape model{7, 6, 3};
    const auto fused = placement_of("transformer.h.0.attn.c_attn.weight", model);
    const auto boxes = tp_boxes({12, 36}, fused, 3, 1);
    REQUIRE(boxes.size() == 3);
    CHECK(boxes[2] == tensor::Box{{0, 28}, {12, 4}});
    // 3 groups of 5 rows over 2 ranks: cut between heads, 2 and 1.
    const auto key = placement_of("model.layers.0.self_attn.k_proj.weight", model);
    CHECK(tp_boxes({15, 30}, key, 2, 0)[0].extent[0] == 10);
    CHECK(tp_boxes({15, 30}, key, 2, 1)[0].extent[0] == 5);
    CHECK(tp_boxes({15, 30}, key, 4, 3).empty());
    CHECK(tp_boxes({30}, placement_of("model.norm.weight", model), 4, 1).empty());
    CHECK(layer_of("model.layers.12.mlp.up_proj.weight") == 12);
    CHECK(layer_of("transformer.h.3.ln_1.bias") == 3);
    CHECK_FALSE(layer_of("lm_head.weight"));
    CHECK(stage_of("model.embed_tokens.weight", model, 3) == 0);
    CHECK(stage_of("model.layers.2.x", model, 3) == 0);
    CHECK(stage_of("model.layers.3.x", model, 3) == 1);
    CHECK(stage_of("lm_head.weight", model, 3) == 2);
}

TEST_CASE("cast: all halves survive the way to float and back, and rounding is to even") {
    std::vector<uint16_t> all(65536);
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
    std::vector<float> floats(all.size());
    std::vector<uint16_t> back(all.size());
    using tensor::DType;
    cast(DType::kF16, std::as_bytes(std::span(all)), DType::kF32,
         std::as_writable_bytes(std::span(floats)));
    cast(DType::kF32, std::as_bytes(std::span(floats)), DType::kF16,
         std::as_writable_bytes(std::span(back)));
    for (size_t i = 0; i < all.size(); ++i) {
        const bool is_nan = (i & 0x7C00) == 0x7C00 && (i & 0x3FF) != 0;
        if (!is_nan) CHECK(back[i] == all[i]);
    }
    const std::vector<float> ties = {2049.0f, 2051.0f, 65519.0f, 65520.0f, 0x1p-25f, 0x1.8p-24f};
    const std::vector<uint16_t> wanted = {0x6800, 0x6802, 0x7BFF, 0x7C00, 0x0000, 0x0002};
    std::vector<uint16_t> got(ties.size());
    cast(DType::kF32, std::as_bytes(std::span(ties)), DType::kF16,
         std::as_writable_bytes(std::span(got)));
    CHECK(got == wanted);
    CHECK_THROWS_AS(cast(DType::kI32, {}, DType::kF32, {}), DataError);
}
