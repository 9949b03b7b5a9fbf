// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The sub-commands of train-run.

#include "lib/cli/run_main.h"

namespace longhaul::train_run {

inline constexpr const char* kOneLine = "distributed training of GPT and Llama style models";

ExitCode run_train(const cli::Args& args);
ExitCode run_generate(const cli::Args& args);

}  // namespace longhaul::train_run
