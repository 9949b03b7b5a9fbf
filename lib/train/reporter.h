// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What rank 0 tells the world about each step: metrics.jsonl, progress.json, TensorBoard,
// Prometheus, and the line that people watch.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "lib/record/run_dir.h"
#include "lib/record/tensorboard.h"
#include "lib/train/config.h"
#include "lib/train/state.h"
#include "lib/train/step.h"

namespace longhaul::train {

struct ReporterOptions {
    record::RunDirectory run;
    MetricsConfig metrics;
    int64_t total_steps = 0;
    int64_t restart = 0;
    uint64_t seed = 0;  // of the run
    double flops_per_token = 0;
    double peak_flops = 0;         // of all ranks; 0: no MFU
    std::optional<bool> progress;  // --[no-]progress
};

/// What the loop knows about a step besides its result.
struct StepExtras {
    double step_s = 0;                      // wall time, without validation
    std::optional<double> validation_loss;  // when one was made after it
};

/// A failed write of a report is warned about once and training goes on.
class Reporter {
 public:
    explicit Reporter(ReporterOptions options);
    ~Reporter();

    /// @param state after the step.
    void step(const TrainState& state, const StepPlan& plan, const StepResult& result,
              const StepExtras& extras);
    void saved(int64_t step, const ckpt::SaveResult& result);
    /// One line in faults.jsonl: "save-failed", "non-finite", ...
    void fault(const std::string& event, int64_t step, const std::string& detail);
    /// Ends the live line.
    void finish();

 private:
    void write_metrics(const TrainState& state, const StepPlan& plan, const StepResult& result,
                       const StepExtras& extras);
    void write_tensorboard(const StepPlan& plan, const StepResult& result,
                           const StepExtras& extras);
    void write_progress_record(const TrainState& state, const StepResult& result);
    void write_prometheus(const TrainState& state, const StepPlan& plan, const StepResult& result);
    void show(const TrainState& state, const StepPlan& plan, const StepResult& result);
    double eta_s(int64_t step) const;
    double mfu() const;
    template <class Body>
    void guarded(const char* what, Body body);

    ReporterOptions options_;
    std::unique_ptr<record::TensorboardWriter> tensorboard_;
    double tokens_per_s_ = 0;  // smoothed
    double step_s_ = 0;        // smoothed
    int64_t num_steps_ = 0;
    record::ProgressRecord progress_;  // as last written
    bool is_live_ = false;             // a live line is on the terminal
    bool has_warned_ = false;
    std::chrono::steady_clock::time_point last_line_, last_progress_;
};

/// FLOP/s of a matrix product of `dtype` on this rank's threads: the yardstick of MFU on a CPU.
double measure_matmul_flops(tensor::DType dtype);

}  // namespace longhaul::train
