// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The options that `run` and `explain` share: what is a duplicate.

#include <string>

#include "lib/cli/command.h"
#include "lib/cli/run_main.h"
#include "lib/dedup/signature/parameters.h"

namespace longhaul {

struct ParameterOptions {
    std::string preset = "fineweb";
    std::string hash;  // empty: that of the preset
    dedup::Parameters given;

    void add_to(cli::Command& command);
    /// Preset first, then what the user gave; --threshold alone chooses the banding.
    /// @throws UsageError
    dedup::Parameters resolve(const cli::Command& command) const;
};

/// @param name "dedup-minhash" or "dedup-minhash run", for --help
ExitCode run_dedup(const std::string& name, const cli::Args& args);
ExitCode run_explain(const cli::Args& args);
ExitCode run_spans(const cli::Args& args);

}  // namespace longhaul
