// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One update: data, forward and backward over the micro-batches, sum over ranks, clipping, AdamW.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lib/optim/adamw.h"
#include "lib/train/engine.h"
#include "lib/train/phase_timer.h"
#include "lib/train/sample_reader.h"

namespace longhaul::train {

/// What a rank knows before the step. Equal on all ranks, but for the stop file.
struct StepPlan {
    int64_t step = 0;               // updates done before
    std::vector<uint64_t> samples;  // of the global batch
    double learning_rate = 0;
    double clip = 0;
    optim::AdamWSettings optimizer;
    bool stop_file = false;  // it was seen
};

/// Equal on all ranks.
struct StepResult {
    double loss = 0;  // mean over valid tokens
    int64_t valid_tokens = 0;
    double grad_norm = 0;
    double data_wait_s = 0;  // until the slowest rank had its samples
    bool skipped = false;    // the gradient was not finite: nothing changed
    bool notice = false;     // some rank was asked to save and end
    bool stop_file = false;
    std::string bad_gradients;  // skipped: whose, "rank 1: h.3.mlp..."; on rank 0
};

/// Called between backward and the sum over ranks: tests break a gradient here.
using GradientHook = std::function<void(Engine&)>;

/// Signals that came up to its sum over ranks count. @throws TrainError on all ranks when one could
/// not read its samples.
StepResult run_step(Engine& engine, const StepPlan& plan, const shards::SampleProvider& reader,
                    PhaseTimer& timer, const GradientHook& hook = {});

/// Mean loss over samples [0, count) of `reader`, each shown to one rank. Needs no gradients.
double validation_loss(Engine& engine, const shards::SampleProvider& reader, int64_t count);

}  // namespace longhaul::train
