// SPDX-License-Identifier: BSD-3-Clause
#include "lib/config/schema.h"

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/config/nearest_word.h"

using namespace longhaul;

namespace {

struct Settings {
    int64_t layers = 2;
    double lr = 3e-4;
    bool tied = true;
    std::string family = "gpt2";
    std::vector<std::string> paths;
    std::vector<double> weights;
    config::Schema schema;

    Settings() {
        schema.section("model", "the network");
        schema.add("model", "layers", layers, "number of blocks");
        schema.add("model", "family", family, {"gpt2", "llama"}, "architecture");
        schema.add("model", "tied", tied, "share embedding and head");
        schema.section("optim", "the optimiser");
        schema.add("optim", "lr", lr, "peak learning rate");
        schema.section("data", "the input");
        schema.add("data", "paths", paths, "shard folders");
        schema.add("data", "weights", weights, "mixture");
    }
};

std::string error_of(const std::string& toml) {
    Settings settings;
    try {
        settings.schema.load_text(toml, "run.toml");
    } catch (const UsageError& error) {
        return error.describe();
    }
    return "";
}

}  // namespace

TEST_CASE("config: every type is read and the effective file reads back the same") {
    Settings settings;
    settings.schema.load_text(
        "[model]\nlayers = 12\nfamily = 'llama'\ntied = false\n[optim]\nlr = 1\n"
        "[data]\npaths = ['a \"b\"', 'c']\nweights = [0.25, 1]\n",
        "run.toml");
    CHECK(settings.layers == 12);
    CHECK(settings.lr == 1.0);
    CHECK_FALSE(settings.tied);
    CHECK(settings.paths == std::vector<std::string>{"a \"b\"", "c"});
    Settings again;
    again.schema.load_text(settings.schema.print(), "printed");
    CHECK(again.schema.print() == settings.schema.print());
    CHECK(again.weights == settings.weights);
}

TEST_CASE("config: mistakes are named with their place and the nearest known key") {
    CHECK(error_of("[model]\nlayer = 1") ==
          "run.toml:2:1: unknown key model.layer; did you mean layers?");
    CHECK(error_of("[modl]\nlayers = 1") ==
          "run.toml:2:1: unknown section [modl]; did you mean [model]?");
    CHECK(error_of("[model]\nlr = 1") ==
          "run.toml:2:1: unknown key model.lr; did you mean optim.lr?");
    CHECK(error_of("[model]\nlayers = 'x'") ==
          "run.toml:2:1: model.layers: expected a whole number, found 'x'");
    CHECK(error_of("[model]\nfamily = 'lama'") ==
          "run.toml:2:1: model.family: expected one of gpt2, llama; did you mean \"llama\"?, "
          "found 'lama'");
    CHECK(error_of("layers = 1") == "run.toml:1:1: layers stands outside any section");
    CHECK(error_of("[model\n").rfind("run.toml:1:7: ", 0) == 0);
}

TEST_CASE("config: --set takes bare strings and reports what is wrong") {
    Settings settings;
    settings.schema.set("model.family=llama");
    settings.schema.set("optim.lr=1e-3");
    settings.schema.set("data.paths=[\"x\", \"y\"]");
    CHECK(settings.family == "llama");
    CHECK(settings.lr == 1e-3);
    CHECK(settings.paths.size() == 2);
    CHECK_THROWS_AS(settings.schema.set("model.layers=two"), UsageError);
    CHECK_THROWS_WITH_AS(settings.schema.set("model.family=lama"),
                         "--set model.family=lama: expected one of gpt2, llama; did you mean "
                         "\"llama\"?",
                         UsageError);
    CHECK_THROWS_WITH_AS(settings.schema.set("model.tied=yes"),
                         "--set model.tied=yes: expected true or false", UsageError);
    CHECK_THROWS_AS(settings.schema.set("layers=2"), UsageError);
    CHECK_THROWS_AS(settings.schema.set("model.leyers=2"), UsageError);
}

TEST_CASE("nearest word: near ones only") {
    CHECK(config::nearest_word("mico_batch", {"micro_batch", "global_batch"}) == "micro_batch");
    CHECK(config::nearest_word("zzz", {"micro_batch"}).empty());
}
