// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// train-run's main command: ranks as threads or under MPI, dry run, exit record.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/exit_code.h"
#include "lib/train/config.h"
#include "lib/train/engine.h"

namespace longhaul::train {

struct RunOptions {
    std::filesystem::path config_file;
    std::vector<std::string> assignments;  // --set section.key=value
    std::string run_directory;             // --run; "": $LONGHAUL_RUN, job.run, "run"
    bool print_config = false;
    bool dry_run = false;
    bool json = false;  // of the dry run
    bool profile = false;
    bool force = false;
    std::optional<bool> progress;
    int threads = 0;  // of this process; 0: what the job or the CPU affinity gives
};

ExitCode run_training(const RunOptions& options);

/// The engine that `config` asks for, without its mesh.
EngineOptions engine_options_of(const TrainConfig& config, int64_t data_vocab_size);

/// Ranks that `parallel` asks for without a launcher: the product of its sizes, a free one is 1.
int num_thread_ranks(const ParallelConfig& parallel);

/// Memory per class and rank, batch and run length, on stdout. Reserves nothing.
void print_plan(const TrainConfig& config, int world_size, bool json);

}  // namespace longhaul::train
