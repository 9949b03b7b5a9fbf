// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The options of gpu-health without a sub-command.

#include "lib/health/runner.h"
#include "lib/io/atomic_file.h"
#include "tools/gpu-health/subcommands.h"

namespace longhaul::gpu_health {

struct CheckOptions {
    SourceOptions source;
    std::string context, config, gres, input, state, prometheus;
    std::string exit_policy = "default";
    int64_t expect_gpus = -1;
    cli::Duration every{60};
    cli::Bytes active_memory{0};
    bool active = false, watch = false, reason = false, json = false, strict = false;
    bool print_config = false, list_checks = false;
    cli::CommonOptions common;

    void parse(const cli::Args& args);
    /// Fills everything but what a configuration file has put into the policy.
    void apply_to(health::RunOptions& run) const;

 private:
    void declare(cli::Command& command);
};

}  // namespace longhaul::gpu_health
