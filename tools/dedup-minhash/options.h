// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Groups of options that several sub-commands share.

#include <string>
#include <utility>
#include <vector>

#include "lib/cli/command.h"
#include "lib/cli/run_main.h"
#include "lib/dedup/options.h"
#include "lib/dedup/stages/plan.h"
#include "tools/dedup-minhash/parameters.h"

namespace longhaul {

/// How inputs are read.
struct InputOptions {
    cli::Bytes max_line{64 << 20};

    void add_to(cli::Command& command, dedup::Options& options);
    /// @throws UsageError
    void resolve(dedup::Options& options) const;
};

/// What decides the output, for `run` and `plan`.
struct DecidingOptions {
    InputOptions input;
    ParameterOptions parameters;
    bool is_transitive = false;
    std::string keep = "first";
    std::vector<std::string> priorities, against;

    void add_to(cli::Command& command, dedup::Options& options);
    /// @throws UsageError
    void resolve(const cli::Command& command, dedup::Options& options) const;
};

/// How work is cut into units, for `run --work` and `plan`.
struct UnitOptions {
    uint64_t num_units = 0;
    cli::Bytes unit_bytes{0};
    uint64_t num_splits = 0;

    void add_to(cli::Command& command);
    /// @throws UsageError
    dedup::PlanRequest resolve() const;
};

/// Report, samples and the like, for `run` and `apply`.
void add_report_options(cli::Command& command, dedup::Options& options);

/// Threads, memory and folders. Call resolve_resources() after parsing, last.
void add_resource_options(cli::Command& command, cli::CommonOptions& common);
void resolve_resources(const cli::CommonOptions& common, dedup::Options& options);

/// Name and purpose of each sub-command.
const std::vector<std::pair<std::string, std::string>>& subcommand_lines();

ExitCode run_filter(const cli::Args& args);
ExitCode run_plan(const cli::Args& args);
ExitCode run_apply(const cli::Args& args);
/// Sub-commands sign to cluster.
ExitCode run_stage(const std::string& name, const cli::Args& args);

}  // namespace longhaul
