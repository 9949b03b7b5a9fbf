// SPDX-License-Identifier: BSD-3-Clause
// The training loop of one rank.
#include <sys/stat.h>

#include <chrono>
#include <cmath>

#include "kernels/threads.h"
#include "lib/base/units.h"
#include "lib/ckpt/latest.h"
#include "lib/ckpt/retention.h"
#include "lib/cli/output.h"
#include "lib/log/log.h"
#include "lib/model/hf_config.h"
#include "lib/train/exit_cause.h"
#include "lib/train/notice.h"
#include "lib/train/read_ahead.h"
#include "lib/train/reporter.h"
#include "lib/train/run.h"
#include "lib/train/session.h"
#include "lib/train/state.h"
#include "lib/train/step.h"

namespace longhaul::train {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

class RankRun {
 public:
    RankRun(Session& session, comm::World& world)
        : session_(session), config_(session.options().config), world_(world.comm()) {}

    ExitCode run() {
        open();
        set_up();
        if (stop_file_exists()) {
            if (is_first()) {
                log::warn("{} exists: nothing is done; remove it to go on",
                          session_.run().stop_file().string());
            }
            return end(ExitCode::kStopped, "notice", "stop file at the start");
        }
        const auto start = Clock::now();
        const int64_t first_step = state_.step;
        const ExitCode code = loop();
        if (session_.options().profile && is_first()) {
            cli::print(timer_.table(state_.step - first_step, seconds_since(start)));
        }
        return code;
    }

 private:
    bool is_first() const { return world_.rank() == 0; }

    void open() {
        run_agreed(world_, [&] {
            if (is_first()) session_.open_run();
        });
        session_.set_open();
        run_agreed(world_, [&] {
            train_data_ = open_training_data(config_);
            if (!config_.data.validation.empty()) {
                validation_data_ = open_validation_data(config_);
                check_same_tokenizer();
            }
        });
        run_agreed(world_, [&] {
            if (is_first()) session_.keep_tokenizer();
        });
    }

    void check_same_tokenizer() const {
        if (train_data_->identity().tokenizer_hash == validation_data_->identity().tokenizer_hash) {
            return;
        }
        throw UsageError(
            format("data.validation ({}) was made by another tokenizer than data.train ({})",
                   config_.data.validation.front(), config_.data.train.front()));
    }

    void set_up() {
        session_.watchdog().touch("loading");
        try {
            const bool is_resumed =
                ckpt::load_latest(session_.run().checkpoints(), world_,
                                  [&](const ckpt::Checkpoint& from) { return try_resume(from); });
            if (!is_resumed) begin();
        } catch (const TrainError&) {
            throw;
        } catch (const comm::AgreedError& error) {
            session_.set_position(0, -1);
            throw TrainError("data", error.describe(), error.exit_code());
        }
        session_.set_position(state_.step, state_.committed_step);
        open_samples();
        make_reporter();
    }

    /// With the order of the phase that the run is in.
    void open_samples() {
        const shards::SampleSettings& settings = state_.cursor.phase().samples;
        run_agreed(world_, [&] {
            if (settings.blend_version != shards::kExactBlend && config_.data.train.size() > 1) {
                train_data_ = open_training_data(config_, settings.blend_version);
            }
        });
        ahead_ = std::make_unique<ReadAhead>(*train_data_, config_.data, settings.attends_document);
    }

    /// @return why the content of the checkpoint is damaged, alike on all ranks; "" when loaded.
    std::string try_resume(const ckpt::Checkpoint& checkpoint) {
        session_.set_position(checkpoint.header().step, checkpoint.header().step);
        try {
            build(&checkpoint);
            state_ = resume(engine(), checkpoint, config_, train_data_->identity());
        } catch (const DamagedCheckpoint& error) {
            return error.describe();
        }
        if (!is_first()) return "";
        log::info("resumed {} at step {}", checkpoint.directory().string(), state_.step);
        if (state_.step > config_.job.steps) {
            log::warn("job.steps = {}, but the run is at step {} already: nothing is done",
                      config_.job.steps, state_.step);
        }
        return "";
    }

    /// A run keeps the positions it began with, unless model.max_seq_len says otherwise.
    void build(const ckpt::Checkpoint* resumed) {
        run_agreed(world_, [&] {
            TrainConfig config = config_;
            if (resumed != nullptr && config.model.max_seq_len == 0) {
                config.model.max_seq_len = max_seq_len_of(*resumed);
                if (config.data.seq_len > config.model.max_seq_len) {
                    throw UsageError(
                        format("data.seq_len = {} exceeds the {} positions of the "
                               "run's model; that needs another run (--run)",
                               config.data.seq_len, config.model.max_seq_len));
                }
            }
            built_.engine.reset();  // before the memory that it uses
            built_ =
                build_engine(engine_options_of(config, train_data_->identity().vocab_size), world_);
        });
    }

    static int64_t max_seq_len_of(const ckpt::Checkpoint& checkpoint) {
        return model::from_hf_config_json(checkpoint.header().hf_config_json,
                                          checkpoint.directory().string())
            .max_seq_len;
    }

    void begin() {
        build(nullptr);
        run_agreed(world_, [&] { state_ = new_run(config_, train_data_->identity()); });
        if (config_.model.init_from.empty()) {
            init_weights(engine(), static_cast<uint64_t>(config_.job.seed), adamw_of(config_));
            return;
        }
        std::optional<ckpt::Checkpoint> source;
        run_agreed(world_, [&] { source = ckpt::Checkpoint::open(config_.model.init_from); });
        load_weights(engine(), *source, adamw_of(config_));
        if (is_first()) log::info("weights of {}", config_.model.init_from);
    }

    void make_reporter() {
        double peak = 1e9 * config_.metrics.peak_gflops;
        if (peak == 0) {
            peak = measure_matmul_flops(engine().options().transformer.compute);
            world_.all_reduce(std::span(&peak, 1), comm::Op::kSum, {-1, -1, "peak"});
        }
        if (!is_first()) return;
        const model::ModelConfig& shape = engine().options().model;
        log::info("{} parameters, {} ranks x {} threads, {} per rank, {} GFLOP/s peak",
                  human_count(static_cast<double>(model::num_parameters(shape))), world_.size(),
                  session_.options().threads_per_rank,
                  human_bytes(tensor::total_bytes(built_.arena->reserved())),
                  static_cast<int64_t>(peak / 1e9));
        ReporterOptions options{session_.run(), config_.metrics};
        options.total_steps = config_.job.steps;
        options.restart = session_.restart();
        options.seed = static_cast<uint64_t>(config_.job.seed);
        options.flops_per_token = model::flops_per_token(shape, config_.data.seq_len);
        options.peak_flops = peak;
        options.progress = session_.options().progress;
        reporter_ = std::make_unique<Reporter>(std::move(options));
    }

    ExitCode loop() {
        while (state_.step < config_.job.steps) {
            const StepResult result = step();
            if (result.stop_file) {
                save_now("notice", true);
                return end(ExitCode::kStopped, "notice", "stop file");
            }
            if (result.notice) {
                save_now("notice", true);
                return end(ExitCode::kRequeue, "notice", format("signal {}", agreed_signal()));
            }
            if (is_save_due()) save_now("regular", false);
        }
        if (state_.committed_step != state_.step) save_now("final", true);
        return end(ExitCode::kOk, "finished", "");
    }

    /// That of any rank: a notice may reach one alone.
    int agreed_signal() {
        double number = NoticeSignals::received();
        world_.all_reduce(std::span(&number, 1), comm::Op::kMax, {state_.step, -1, "signal"});
        return static_cast<int>(number);
    }

    StepResult step() {
        const auto start = Clock::now();
        StepPlan plan;
        plan.step = state_.step;
        plan.samples = state_.cursor.peek(config_.data.global_batch);
        plan.learning_rate = optim::learning_rate(schedule_of(config_), state_.step);
        plan.clip = config_.optim.clip;
        plan.optimizer = adamw_of(config_);
        plan.stop_file = is_first() && stop_file_exists();
        ahead_->announce(state_.cursor, engine().local_samples());
        StepResult result = run_step(engine(), plan, ahead_->samples(), timer_);
        state_.cursor.advance(plan.samples);
        if (result.skipped) {
            ++state_.skipped;
            ++state_.skipped_in_row;
        } else {
            ++state_.step;
            state_.skipped_in_row = 0;
        }
        session_.set_position(state_.step, state_.committed_step);
        session_.watchdog().touch(format("step {}", state_.step + 1));
        StepExtras extras;
        extras.step_s = seconds_since(start);
        if (!result.skipped && is_validation_due()) {
            extras.validation_loss = timer_.time(Phase::kValidate, [&] {
                return validation_loss(engine(), *validation_data_,
                                       config_.metrics.validate_samples);
            });
            session_.watchdog().touch("validation");
        }
        if (reporter_ != nullptr) {
            timer_.time(Phase::kReport, [&] { reporter_->step(state_, plan, result, extras); });
        }
        check_skipped(result);
        return result;
    }

    void check_skipped(const StepResult& result) const {
        if (state_.skipped_in_row <= config_.guards.max_skipped) return;
        throw TrainError(
            "non-finite",
            format("{} updates in a row were not finite (guards.max_skipped = {}); bad: {}",
                   state_.skipped_in_row, config_.guards.max_skipped,
                   result.bad_gradients.empty() ? "the loss" : result.bad_gradients),
            ExitCode::kFailed);
    }

    bool is_validation_due() const {
        if (config_.metrics.validate_every == 0) return false;
        return state_.step % config_.metrics.validate_every == 0 ||
               state_.step == config_.job.steps;
    }

    bool is_save_due() const {
        if (state_.step == state_.committed_step || state_.step >= config_.job.steps) return false;
        if (retry_at_step_ > 0) return state_.step >= retry_at_step_;
        return config_.checkpoint.every > 0 && state_.step % config_.checkpoint.every == 0;
    }

    bool stop_file_exists() const {
        struct stat info {};
        return stat(session_.run().stop_file().c_str(), &info) == 0;
    }

    /// A failed save is said, recorded and tried again later; `must_succeed` at the end of a start.
    void save_now(const std::string& checkpoint_class, bool must_succeed) {
        if (state_.committed_step == state_.step) return;
        session_.watchdog().touch("save");
        run_agreed(world_, [&] {
            if (!is_first()) return;
            session_.check_lock();
            session_.keep_passed_over(state_.step);
        });
        try {
            const auto result = timer_.time(Phase::kSave, [&] {
                return save(engine(), state_, session_.run().checkpoint(state_.step),
                            {&config_, &train_data_->identity(), checkpoint_class, health()});
            });
            state_.committed_step = state_.step;
            state_.parent = {session_.run().checkpoint(state_.step).filename().string(),
                             result.self};
            retry_at_step_ = 0;
            if (reporter_ != nullptr) reporter_->saved(state_.step, result);
        } catch (const ckpt::SaveError& error) {
            on_failed_save(error, must_succeed);
        }
        session_.set_position(state_.step, state_.committed_step);
        session_.watchdog().touch("after the save");
        if (is_first() && retry_at_step_ == 0) clean_up();
    }

    void on_failed_save(const ckpt::SaveError& error, bool must_succeed) {
        if (reporter_ != nullptr) reporter_->fault("save-failed", state_.step, error.describe());
        if (must_succeed) throw TrainError("disk", error.describe(), ExitCode::kFailed);
        retry_at_step_ = state_.step + config_.checkpoint.retry_steps;
        if (!is_first()) return;
        const std::string newest =
            state_.committed_step < 0
                ? "there is no checkpoint yet"
                : format("the newest valid checkpoint is of step {}", state_.committed_step);
        log::warn("step {}: checkpoint not saved ({}); training goes on, next try at step {}, {}",
                  state_.step, error.describe(), retry_at_step_, newest);
    }

    /// Deletes what retention does not keep; only after a save that succeeded.
    void clean_up() const {
        try {
            ckpt::RetentionPolicy policy;
            policy.keep_last = config_.checkpoint.keep_last;
            policy.keep_every = config_.checkpoint.keep_every;
            policy.mine = state_.committed_step;
            policy.remove_damaged = false;
            policy.wreck_age_s = 0;
            ckpt::apply_retention(session_.run().checkpoints(), policy);
        } catch (const Error& error) {
            log::warn("old checkpoints are left: {}", error.describe());
        }
    }

    std::string health() const { return state_.skipped_in_row > 0 ? "suspect" : "ok"; }

    /// The last agreement of all ranks: nobody leaves before everything is on disk.
    ExitCode end(ExitCode code, const std::string& cause, const std::string& detail) {
        if (is_first()) session_.write_exit(code, cause, detail);
        if (reporter_ != nullptr) reporter_->finish();
        world_.barrier({state_.step, -1, "end"});
        if (is_first()) {
            log::info("{} at step {} of {}", cause == "finished" ? "finished" : "stopped",
                      state_.step, config_.job.steps);
        }
        return code;
    }

    Engine& engine() { return *built_.engine; }

    Session& session_;
    TrainConfig config_;
    comm::Comm& world_;
    std::unique_ptr<SampleReader> train_data_, validation_data_;
    std::unique_ptr<ReadAhead> ahead_;  // over train_data_
    BuiltEngine built_;
    TrainState state_;
    PhaseTimer timer_;
    std::unique_ptr<Reporter> reporter_;  // rank 0
    int64_t retry_at_step_ = 0;           // after a failed save
};

}  // namespace

ExitCode run_rank(Session& session, comm::World& world) {
    kernels::set_num_threads(session.options().threads_per_rank);
    world.set_timeout(session.options().config.guards.comm_timeout_s);
    const int rank = world.comm().rank();
    session.watchdog().add(rank, world.ring());
    try {
        const ExitCode code = RankRun(session, world).run();
        session.watchdog().remove(rank);
        return code;
    } catch (const comm::TimeoutError&) {
        session.watchdog().dump_rings();
        session.watchdog().remove(rank);
        throw;
    } catch (...) {
        session.watchdog().remove(rank);
        throw;
    }
}

}  // namespace longhaul::train
