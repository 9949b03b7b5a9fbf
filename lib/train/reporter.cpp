// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/reporter.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "lib/base/error.h"
#include "lib/base/units.h"
#include "lib/cli/progress.h"
#include "lib/io/json.h"
#include "lib/log/log.h"
#include "lib/record/metrics.h"

namespace longhaul::train {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

double unix_time() {
    return Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// JSON has no NaN: null says "not a number".
io::Json number(double value) {
    return std::isfinite(value) ? io::Json(value) : io::Json(nullptr);
}

}  // namespace

Reporter::Reporter(ReporterOptions options) : options_(std::move(options)) {
    if (!options_.metrics.tensorboard) return;
    guarded("TensorBoard", [&] {
        tensorboard_ = std::make_unique<record::TensorboardWriter>(options_.run.tensorboard());
    });
}

Reporter::~Reporter() {
    finish();
}

template <class Body>
void Reporter::guarded(const char* what, Body body) {
    try {
        body();
    } catch (const Error& error) {
        if (!has_warned_) {
            log::warn("{} cannot be written ({}); training goes on", what, error.describe());
        }
        has_warned_ = true;
    }
}

double Reporter::eta_s(int64_t step) const {
    return step_s_ * static_cast<double>(options_.total_steps - step);
}

double Reporter::mfu() const {
    if (options_.peak_flops <= 0) return 0;
    return tokens_per_s_ * options_.flops_per_token / options_.peak_flops;
}

void Reporter::step(const TrainState& state, const StepPlan& plan, const StepResult& result,
                    const StepExtras& extras) {
    // The first step of a start creates kernels and touches pages: it says nothing about speed.
    constexpr double kSmoothing = 0.1;
    const double rate = static_cast<double>(result.valid_tokens) / extras.step_s;
    const double weight = num_steps_ <= 1 ? 1 : kSmoothing;
    tokens_per_s_ += weight * (rate - tokens_per_s_);
    step_s_ += weight * (extras.step_s - step_s_);
    ++num_steps_;
    guarded("metrics", [&] { write_metrics(state, plan, result, extras); });
    guarded("progress.json", [&] { write_progress_record(state, result); });
    if (!options_.metrics.prometheus.empty()) {
        guarded("the Prometheus file", [&] { write_prometheus(state, plan, result); });
    }
    if (tensorboard_ != nullptr) {
        guarded("TensorBoard", [&] { write_tensorboard(plan, result, extras); });
    }
    if (result.skipped) {
        fault("non-finite", plan.step, result.bad_gradients);
        log::warn("step {}: loss or gradient is not finite ({}); samples {} to {} give no update",
                  plan.step + 1, result.bad_gradients, plan.samples.front(), plan.samples.back());
    }
    show(state, plan, result);
    if (extras.validation_loss) {
        finish();
        log::info("step {}: validation loss {:.4f}", plan.step + 1, *extras.validation_loss);
    }
}

void Reporter::write_tensorboard(const StepPlan& plan, const StepResult& result,
                                 const StepExtras& extras) {
    std::vector<std::pair<std::string, double>> scalars = {
        {"train/loss", result.loss},
        {"train/grad_norm", result.grad_norm},
        {"train/learning_rate", plan.learning_rate},
        {"speed/tokens_per_s", tokens_per_s_}};
    if (options_.peak_flops > 0) scalars.emplace_back("speed/mfu", mfu());
    if (extras.validation_loss) scalars.emplace_back("validation/loss", *extras.validation_loss);
    tensorboard_->add(plan.step + 1, unix_time(), scalars);
}

void Reporter::write_metrics(const TrainState& state, const StepPlan& plan,
                             const StepResult& result, const StepExtras& extras) {
    io::Json line;
    line["schema"] = 1;
    line["step"] = plan.step + 1;
    line["restart"] = options_.restart;
    line["loss"] = number(result.loss);
    line["grad_norm"] = number(result.grad_norm);
    line["learning_rate"] = plan.learning_rate;
    line["valid_tokens"] = result.valid_tokens;
    line["phase"] = state.cursor.phase().number;
    line["first_sample"] = plan.samples.front();
    line["last_sample"] = plan.samples.back();
    line["num_samples"] = plan.samples.size();
    line["seq_len"] = state.cursor.phase().seq_len;
    line["order_seed"] = shards::order_seed(options_.seed, state.cursor.phase().number,
                                            state.cursor.phase().samples.order);
    line["blend_version"] = state.cursor.phase().samples.blend_version;
    line["data_xxh3_128"] =
        shards::data_fingerprint(state.cursor.phase().data, state.cursor.phase().weights).hex();
    line["step_s"] = extras.step_s;
    line["data_wait_s"] = result.data_wait_s;
    line["tokens_per_s"] = static_cast<double>(result.valid_tokens) / extras.step_s;
    if (options_.peak_flops > 0) line["mfu"] = mfu();
    if (extras.validation_loss) line["validation_loss"] = number(*extras.validation_loss);
    if (result.skipped) line["skipped"] = true;
    line["time_s"] = unix_time();
    record::append_json_line(options_.run.metrics(), line);
}

void Reporter::write_progress_record(const TrainState& state, const StepResult& result) {
    // At every step or every second, the later.
    const auto now = Clock::now();
    const bool is_last = state.step >= options_.total_steps;
    if (num_steps_ > 1 && !is_last && now - last_progress_ < Seconds(1)) return;
    last_progress_ = now;
    progress_.step = state.step;
    progress_.total_steps = options_.total_steps;
    progress_.committed_step = state.committed_step;
    progress_.restart = options_.restart;
    progress_.loss = result.loss;
    progress_.tokens_per_s = tokens_per_s_;
    progress_.eta_s = eta_s(state.step);
    progress_.written_s = unix_time();
    record::write_progress(options_.run, progress_);
}

void Reporter::write_prometheus(const TrainState& state, const StepPlan& plan,
                                const StepResult& result) {
    record::write_prometheus(
        options_.metrics.prometheus,
        {{"train_step", "updates done", static_cast<double>(state.step)},
         {"train_loss", "mean token loss of the last step, natural logarithm", result.loss},
         {"train_grad_norm", "global gradient norm before clipping", result.grad_norm},
         {"train_learning_rate", "learning rate of the last update", plan.learning_rate},
         {"train_tokens_per_second", "tokens per second over all ranks", tokens_per_s_},
         {"train_mfu_ratio", "model FLOP/s over peak", mfu()},
         {"train_skipped_updates", "updates left out since the start of the run",
          static_cast<double>(state.skipped)},
         {"train_committed_step", "step of the newest checkpoint",
          static_cast<double>(state.committed_step)},
         {"train_written_seconds", "Unix time of this file", unix_time()}},
        options_.run.root().string());
}

/// A live line on a terminal; in a log every log_every steps, at most one in ten seconds but for
/// the first and the last.
void Reporter::show(const TrainState& state, const StepPlan& plan, const StepResult& result) {
    if (options_.progress == false || log::level() > log::Level::kInfo) return;
    const auto now = Clock::now();
    const bool is_terminal = isatty(STDERR_FILENO) == 1;
    const bool is_edge = num_steps_ == 1 || state.step >= options_.total_steps;
    const double pause = is_terminal ? 0.2 : 10;
    const bool is_due = is_terminal || state.step % options_.metrics.log_every == 0;
    if (!is_edge && (!is_due || now - last_line_ < Seconds(pause))) return;
    last_line_ = now;
    std::string line = format("step {}/{}  loss {:.4f}  norm {:.3f}  lr {:.2e}  {} tokens/s",
                              state.step, options_.total_steps, result.loss, result.grad_norm,
                              plan.learning_rate, human_count(tokens_per_s_));
    if (options_.peak_flops > 0) line += format("  {:.0f}% MFU", 100 * mfu());
    line += format("  ETA {}", human_duration(eta_s(state.step)));
    if (is_terminal) {
        std::fprintf(stderr, "\r\033[K%s", line.c_str());
        std::fflush(stderr);
        is_live_ = true;
        if (is_edge) finish();
    } else {
        log::info("{}", line);
    }
}

void Reporter::finish() {
    if (!is_live_) return;
    std::fputc('\n', stderr);
    is_live_ = false;
}

void Reporter::saved(int64_t step, const ckpt::SaveResult& result) {
    finish();
    log::info("step {}: saved {} in {}", step, human_bytes(result.bytes),
              human_duration(result.seconds));
    guarded("progress.json", [&] {
        progress_.step = progress_.committed_step = step;
        progress_.written_s = unix_time();
        record::write_progress(options_.run, progress_);
    });
}

void Reporter::fault(const std::string& event, int64_t step, const std::string& detail) {
    finish();
    guarded("faults.jsonl", [&] {
        io::Json line;
        line["schema"] = 1;
        line["event"] = event;
        line["step"] = step;
        line["restart"] = options_.restart;
        line["detail"] = detail;
        line["time_s"] = unix_time();
        record::append_json_line(options_.run.faults(), line);
    });
}

}  // namespace longhaul::train
