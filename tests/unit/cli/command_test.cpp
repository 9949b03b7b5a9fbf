// SPDX-License-Identifier: BSD-3-Clause
#include "lib/cli/command.h"

#include <doctest/doctest.h>

#include "lib/base/error.h"

using namespace longhaul;

namespace {

struct Sample {
    cli::Command command{"tool", "does things"};
    std::string output;
    int count = 3;
    cli::Bytes memory{1 << 20};
    cli::Duration every;
    std::vector<std::string> sets, inputs;
    bool force = false;
    uint64_t seed = 7;

    Sample() {
        command.option("-o,--output", output, "FILE", "where to").required();
        command.option("--count", count, "N", "how many").range(1, 9);
        command.option("--memory", memory, "SIZE", "cap");
        command.option("--every", every, "TIME", "period");
        command.option("--set", sets, "K=V", "settings");
        command.flag("--force", force, "again");
        command.option("--seed", seed, "N", "of the draws");
        command.positional("INPUT", inputs, "files");
    }
    std::string error(std::vector<std::string> args) {
        try {
            command.parse(std::move(args));
        } catch (const UsageError& error) {
            return error.describe();
        }
        return "";
    }
};

}  // namespace

TEST_CASE("command: all kinds of options") {
    Sample sample;
    sample.command.parse({"-o", "x", "--memory=2GiB", "--every", "15m", "--set", "a=1", "--set",
                          "b=2", "in1", "--force", "in2", "-"});
    CHECK(sample.output == "x");
    CHECK(sample.memory.value == 2147483648u);
    CHECK(sample.every.seconds == 900);
    CHECK(sample.sets == std::vector<std::string>{"a=1", "b=2"});
    CHECK(sample.inputs == std::vector<std::string>{"in1", "in2", "-"});
    CHECK(sample.force);
    CHECK(sample.count == 3);
    CHECK(sample.command.was_given("--force"));
    CHECK_FALSE(sample.command.was_given("--count"));
}

TEST_CASE("command: mistakes are one line with a way on") {
    CHECK(Sample().error({"-o", "x", "--forse"}) ==
          "unknown option --forse; did you mean --force? Try 'tool --help'");
    CHECK(Sample().error({}) == "--output is required. Try 'tool --help'");
    CHECK(Sample().error({"-x"}) == "unknown option -x. Try 'tool --help'");
    CHECK(Sample().error({"-o", "x", "-o", "y"}) ==
          "--output is given more than once. Try 'tool --help'");
    CHECK(Sample().error({"-o", "x", "--seed"}) == "--seed needs a value. Try 'tool --help'");
    cli::Command no_inputs("tool", "does things");
    CHECK_THROWS_WITH_AS(no_inputs.parse({"in"}), "unexpected argument: in. Try 'tool --help'",
                         UsageError);
    for (const char* bad :
         {"--count=0", "--count=x", "--seed=-1", "--seed=1.5", "--memory=lots", "--every=never"}) {
        CAPTURE(bad);
        CHECK(Sample().error({"-o", "x", bad}).find("Try 'tool --help'") != std::string::npos);
    }
}

TEST_CASE("command: everything behind -- is left alone") {
    cli::Command command("job-guard", "wraps");
    std::vector<std::string> rest;
    command.rest_after_dashes(rest);
    command.parse({"--", "srun", "--help", "-x"});
    CHECK(rest == std::vector<std::string>{"srun", "--help", "-x"});
}

TEST_CASE("command: help names usage, options and defaults") {
    const std::string help = Sample().command.help_text();
    CHECK(help.rfind("Usage: tool [options] [INPUT...]\ndoes things\n", 0) == 0);
    CHECK(help.find("-o, --output FILE") != std::string::npos);
    CHECK(help.find("how many [3]") != std::string::npos);
    CHECK(help.find("cap [1.0 MiB]") != std::string::npos);
}
