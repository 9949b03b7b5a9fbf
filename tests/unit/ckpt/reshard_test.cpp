// SPDX-License-Identifier: BSD-3-Clause
#include "lib/ckpt/reshard.h"

#include <doctest/doctest.h>

#include <fstream>

#include "lib/base/error.h"
#include "lib/ckpt/commit.h"
#include "lib/ckpt/diff.h"
#include "lib/ckpt/verify.h"
#include "lib/comm/world.h"
#include "tests/unit/ckpt/support.h"

using namespace longhaul;
using namespace longhaul::ckpt;
using namespace longhaul::ckpt::test;
namespace fs = std::filesystem;

namespace {

/// A GPT-2 and Llama like set of names with odd sizes: vocabulary 101, 6 heads in 3 groups of 5.
std::vector<ToyTensor> model_tensors() {
    return {{"transformer.wte.weight", {101, 30}},
            {"transformer.h.0.attn.c_attn.weight", {30, 90}},
            {"transformer.h.0.attn.c_attn.bias", {90}},
            {"transformer.h.1.mlp.c_proj.weight", {77, 30}},
            {"transformer.h.2.ln_1.weight", {30}},
            {"model.layers.1.self_attn.q_proj.weight", {30, 30}},
            {"model.layers.1.self_attn.k_proj.weight", {15, 30}},
            {"model.layers.2.self_attn.o_proj.weight", {30, 30}},
            {"transformer.ln_f.weight", {30}},
            {"scale", {}}};
}

fs::path save_model(const TempDir& dir) {
    const fs::path directory = dir / "step-00000007";
    comm::run_threads(1, [&](comm::World& world) {
        ToyRank mine;
        for (const ToyTensor& tensor : model_tensors()) {
            const auto whole = tensor::Slice::whole(tensor::Box::whole(tensor.shape));
            for (const Kind kind : {Kind::kMaster, Kind::kM, Kind::kV}) {
                mine.storage.push_back(slice_values(tensor.name, kind, tensor.shape, whole, 1));
                mine.slices.push_back({tensor.name, kind, tensor::DType::kF32, tensor.shape, whole,
                                       mine.storage.back()});
            }
        }
        Header header = toy_header(7);
        header.hf_config_json =
            R"({"model_type":"toy","n_layer":3,"num_attention_heads":6,"num_key_value_heads":3})";
        save(directory, header, mine.slices, world.comm());
    });
    return directory;
}

void check_equal(const fs::path& first, const fs::path& second) {
    const auto items = diff(Checkpoint::open(first), Checkpoint::open(second), {.read_all = true});
    CHECK(items.size() == 3 * model_tensors().size());
    for (const TensorDiff& item : items) {
        INFO(item.name);
        CHECK(item.status == DiffStatus::kEqual);
    }
}

ReshardOptions to(const std::string& layout) {
    ReshardOptions options;
    options.layout = parse_layout(layout);
    options.threads = 2;
    return options;
}

}  // namespace

TEST_CASE("reshard: 3 to 5 to 7 to 1 ranks and mixed layouts come back bit for bit") {
    const TempDir dir;
    const fs::path source = save_model(dir);
    fs::path last = source;
    for (const char* layout :
         {"dp_shard=3,zero=1", "dp_shard=5,zero=1", "dp_shard=7,zero=3", "tp=4,pp=2", "tp=3,zero=0",
          "tp=2,pp=3,dp_shard=3,zero=1", "tp=7,dp_shard=2,zero=1", "dp_replicate=2,dp_shard=4",
          "dp_shard=97,zero=1", "tp=1"}) {
        const fs::path next = dir / format("to {}", layout);
        reshard(Checkpoint::open(last), next, to(layout));
        check_equal(source, next);
        CHECK(record::exit_code(diagnose(next)) == ExitCode::kOk);
        CHECK(verify_payload(Checkpoint::open(next), {}).empty());
        CHECK(read_manifest(next).header.cursor_json == toy_header(0).cursor_json);
        last = next;
    }
    CHECK(read_manifest(last).tensors == read_manifest(source).tensors);
}

TEST_CASE("reshard: a rank of the target layout has its slices in its own file") {
    const TempDir dir;
    const fs::path source = save_model(dir);
    reshard(Checkpoint::open(source), dir / "x", to("tp=2,pp=2,dp_shard=2,zero=1"));
    const Manifest manifest = read_manifest(dir / "x");
    CHECK(manifest.files.size() == 8);
    for (const SliceEntry& slice : manifest.slices) {
        const TensorEntry& tensor = manifest.tensors[slice.tensor];
        if (tensor.name != "transformer.h.0.attn.c_attn.weight") continue;
        // Columns Q, K, V of 30 each, of which a tensor-parallel rank has 15 of each.
        CHECK(slice.slice.box.extent == std::vector<int64_t>{30, 15});
        const int64_t tp_index = slice.slice.box.offset[1] / 15 % 2;
        CHECK(slice.file % 2 == static_cast<uint32_t>(tp_index));
    }
}

TEST_CASE("reshard: an existing destination is recognised, another one refused") {
    const TempDir dir;
    const fs::path source = save_model(dir);
    const auto first = reshard(Checkpoint::open(source), dir / "x", to("tp=2"));
    CHECK_FALSE(first.was_complete);
    const auto second = reshard(Checkpoint::open(source), dir / "x", to("tp=2"));
    CHECK(second.was_complete);
    CHECK(second.self == first.self);
    CHECK_THROWS_WITH_AS(reshard(Checkpoint::open(source), dir / "x", to("tp=3")),
                         doctest::Contains("layout"), UsageError);
    auto forced = to("tp=3");
    forced.force = true;
    reshard(Checkpoint::open(source), dir / "x", forced);
    check_equal(source, dir / "x");
}

TEST_CASE("reshard: an interrupted run is resumed, and what is damaged in it is redone") {
    const TempDir dir;
    const fs::path source = save_model(dir);
    auto options = to("tp=2,dp_shard=3,zero=1");
    options.threads = 1;
    int left = 20;
    options.on_progress = [&](uint64_t) {
        if (--left == 0) throw DataError("stop here");
    };
    CHECK_THROWS_AS(reshard(Checkpoint::open(source), dir / "x", options), DataError);
    CHECK_FALSE(fs::exists(dir / "x"));
    const fs::path part = dir / ".x.tmp-reshard";
    REQUIRE(fs::exists(part / ".progress"));
    {
        std::fstream stream(part / "rank-00000.h5",
                            std::ios::in | std::ios::out | std::ios::binary);
        stream.seekp(4100);
        stream.put('?');
    }
    options.on_progress = nullptr;
    const auto result = reshard(Checkpoint::open(source), dir / "x", options);
    CHECK(result.bytes_resumed > 0);
    check_equal(source, dir / "x");
    CHECK_FALSE(fs::exists(part));
    reshard(Checkpoint::open(source), dir / "y", options);
    CHECK(read_manifest(dir / "y").self == read_manifest(dir / "x").self);
}

TEST_CASE("reshard: a tiny memory cap and many threads change nothing") {
    const TempDir dir;
    const fs::path source = save_model(dir);
    auto options = to("tp=3,dp_shard=2,zero=1");
    options.threads = 7;
    options.memory_bytes = 1 << 10;
    reshard(Checkpoint::open(source), dir / "x", options);
    check_equal(source, dir / "x");
}

TEST_CASE("reshard: masters can be cast, moments stay") {
    const TempDir dir;
    const fs::path source = save_model(dir);
    auto options = to("tp=2");
    options.master_dtype = tensor::DType::kBF16;
    reshard(Checkpoint::open(source), dir / "x", options);
    const Checkpoint result = Checkpoint::open(dir / "x");
    CHECK(result.find("scale", Kind::kMaster)->dtype == tensor::DType::kBF16);
    CHECK(result.find("scale", Kind::kM)->dtype == tensor::DType::kF32);
    for (const TensorDiff& item : diff(Checkpoint::open(source), result, {})) {
        CHECK(item.max_abs <= item.max_magnitude / 256);
    }
}

TEST_CASE("reshard: a damaged source is named and leaves no destination") {
    const TempDir dir;
    const fs::path source = save_model(dir);
    const Manifest manifest = read_manifest(source);
    {
        std::fstream stream(source / manifest.files[0].name,
                            std::ios::in | std::ios::out | std::ios::binary);
        stream.seekp(static_cast<std::streamoff>(manifest.slices[3].byte_offset));
        stream.write("abcd", 4);
    }
    CHECK_THROWS_WITH_AS(reshard(Checkpoint::open(source), dir / "x", to("tp=2")),
                         doctest::Contains("was damaged"), DataError);
    CHECK_FALSE(fs::exists(dir / "x"));
}

TEST_CASE("reshard: layouts are read strictly") {
    CHECK(parse_layout("tp=2,pp=3").tp == 2);
    CHECK(layout_text(parse_layout("zero=1,dp_shard=3")) == "dp_shard=3,zero=1");
    for (const char* bad : {"", "tp", "tp=", "tp=0", "tp=-1", "tp=2x", "qq=2", "tp=2,,pp=1",
                            "tp=2,tp=4", "zero=4", "tp=100001", "tp=100000,pp=100000"}) {
        CHECK_THROWS_AS(parse_layout(bad), UsageError);
    }
    CHECK_THROWS_WITH_AS(parse_layout("tp=99999999"), doctest::Contains("from 1 to 100000"),
                         UsageError);
}

TEST_CASE("reshard: more files than can be open at once are refused, many shards are not") {
    const TempDir dir;
    const Manifest source = read_manifest(save_model(dir));
    CHECK_THROWS_WITH_AS(
        plan_reshard(source, {parse_layout("pp=3,dp_shard=5000,zero=1"), {}, 1 << 20}),
        doctest::Contains("more than 4096 files"), UsageError);
    CHECK(plan_reshard(source, {parse_layout("dp_shard=5000"), {}, 1 << 20}).files.size() <= 30);
}

TEST_CASE("reshard: force never replaces the source, what holds it, links or foreign files") {
    const TempDir dir;
    const fs::path source = save_model(dir);
    const Checkpoint checkpoint = Checkpoint::open(source);
    auto forced = to("tp=2");
    forced.force = true;
    fs::create_directories(dir / "home");
    std::ofstream(dir / "home" / "thesis.txt") << "years";
    std::ofstream(dir / "plain") << "text";
    fs::create_directory_symlink(dir / "home", dir / "link");
    fs::create_directory_symlink(dir.path(), dir / "loop");
    for (const fs::path& bad :
         {source, source / "", dir.path(), source / "inner", dir / "loop" / "step-00000007",
          dir / "home", dir / "plain", dir / "link", fs::path(), fs::path(".")}) {
        INFO(bad.string());
        CHECK_THROWS_AS(reshard(checkpoint, bad, forced), UsageError);
    }
    CHECK(fs::exists(dir / "home" / "thesis.txt"));
    CHECK(fs::is_symlink(dir / "link"));
    CHECK(record::exit_code(diagnose(source)) == ExitCode::kOk);
    fs::create_directories(dir / "x");
    reshard(checkpoint, dir / "x" / "", forced);
    reshard(checkpoint, dir / "x", forced);
    check_equal(source, dir / "x");
}
