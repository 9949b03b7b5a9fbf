// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/config.h"

#include <doctest/doctest.h>

#include "lib/base/error.h"
#include "lib/train/run.h"

namespace longhaul::train {
namespace {

TrainConfig parsed(const std::string& toml) {
    TrainConfig config;
    config::Schema schema;
    declare(schema, config);
    schema.load_text(toml, "run.toml");
    return config;
}

std::string problem(const std::string& toml) {
    try {
        check(parsed("[job]\nsteps = 10\n[data]\ntrain = [\"x\"]\n" + toml));
    } catch (const UsageError& error) {
        return error.describe();
    }
    return "";
}

TEST_CASE("config: the printed file gives the same values") {
    TrainConfig config = parsed(
        "[job]\nsteps = 7\n[data]\ntrain = [\"a\", \"b\"]\nweights = [1.0, 2.5]\nskip = [\"3-5\"]\n"
        "[schedule]\nlr = 1e-3\n[precision]\ncompute = \"bf16\"\n");
    TrainConfig again = parsed(print(config));
    CHECK(differences(config, again).empty());
    CHECK(again.data.weights == std::vector<double>{1.0, 2.5});
}

TEST_CASE("config: a misspelt key is named with the nearest one") {
    std::string message;
    try {
        parsed("[schedule]\nwarmup_step = 5\n");
    } catch (const UsageError& error) {
        message = error.describe();
    }
    CHECK(message.find("run.toml:2") != std::string::npos);
    CHECK(message.find("warmup_steps") != std::string::npos);
}

TEST_CASE("config: values that cannot work are named by key") {
    CHECK(problem("").empty());
    CHECK(problem("[parallel]\ntp = 2\n").find("parallel.tp = 2") == 0);
    CHECK(problem("[schedule]\nwarmup_steps = 11\n").find("schedule.warmup_steps") == 0);
    CHECK(problem("[optim]\nbeta2 = 1.0\n").find("optim.beta2") == 0);
    CHECK(problem("[metrics]\nvalidate_every = 5\n").find("metrics.validate_every") == 0);
    CHECK(problem("[precision]\nrounding = \"stochastic\"\n").find("precision.rounding") == 0);
    CHECK(problem("[checkpoint]\nkeep_last = 0\n").find("checkpoint.keep_last") == 0);
}

TEST_CASE("config: differences name keys and both values") {
    TrainConfig from = parsed("[schedule]\nlr = 1e-3\n"), to = from;
    to.schedule.lr = 2e-3;
    const auto changes = differences(from, to);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "schedule.lr");
    CHECK(changes[0].from == "0.001");
    CHECK(changes[0].to == "0.002");
}

TEST_CASE("config: ranks without a launcher") {
    ParallelConfig parallel;
    CHECK(num_thread_ranks(parallel) == 1);
    parallel.dp_shard = 3;
    parallel.dp_replicate = 2;
    CHECK(num_thread_ranks(parallel) == 6);
}

}  // namespace
}  // namespace longhaul::train
