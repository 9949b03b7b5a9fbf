// SPDX-License-Identifier: BSD-3-Clause
// Training end to end on made-up tokens: layouts agree, resuming is exact, bad gradients are
// skipped.
#include "lib/train/engine.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <map>

#include "kernels/threads.h"
#include "lib/base/error.h"
#include "lib/base/philox.h"
#include "lib/comm/world.h"
#include "lib/train/exit_cause.h"
#include "lib/train/run.h"
#include "lib/train/state.h"
#include "lib/train/step.h"

namespace longhaul::train {
namespace {

/// Tokens with a pattern to learn; some samples have masked targets, so ranks differ in valid ones.
class MadeUpReader : public SampleReader {
 public:
    explicit MadeUpReader(int64_t vocab_size) {
        identity_.folders = {"made-up"};
        identity_.hashes = {std::string(32, 'a')};
        identity_.tokenizer_hash = std::string(32, 'b');
        identity_.vocab_size = vocab_size;
        identity_.num_windows = 1000;
    }
    const DataIdentity& identity() const override { return identity_; }
    void read(uint64_t sample, const shards::SampleBuffers& out) const override {
        const auto [tokens, targets, begins] = out;
        if (sample == fails_at) throw DataError("shard-0001.h5: torn");
        const auto token = [&](uint64_t i) {
            const auto draw = philox_draw({3, RandomPurpose::kTest, sample, 0}, i / 2);
            return static_cast<int32_t>(draw.word[0] % static_cast<uint32_t>(identity_.vocab_size));
        };
        const size_t masked = sample % 3 == 0 ? 0 : (5 * sample) % tokens.size();
        for (size_t i = 0; i < tokens.size(); ++i) {
            tokens[i] = token(i);
            targets[i] = i < masked ? -100 : token(i + 1);
        }
    }
    uint64_t fails_at = ~uint64_t{0};

 private:
    DataIdentity identity_;
};

TrainConfig tiny_config(const std::string& compute, int64_t zero) {
    TrainConfig config;
    config.job.steps = 20;
    config.job.seed = 11;
    config.data.train = {"made-up"};
    config.data.seq_len = 16;
    config.data.global_batch = 7;
    config.data.micro_batch = 2;
    config.model.shape.num_layers = 2;
    config.model.shape.hidden = 32;
    config.model.shape.num_heads = 2;
    config.schedule.lr = 1e-2;
    config.schedule.min_lr = 1e-3;
    config.schedule.warmup_steps = 3;
    config.precision.compute = compute;
    config.parallel.zero = zero;
    return config;
}

struct Layout {
    int replicas = 1, shards = 1;
};

/// What a piece of training leaves behind, from rank 0.
struct Outcome {
    std::vector<double> losses, norms;
    std::vector<std::byte> weights;
    std::vector<uint64_t> samples;
    TrainState state;
    int64_t skipped = 0;
};

struct Stretch {
    std::filesystem::path load, save;  // "": none
    int64_t until = 20;
    std::map<int64_t, int> break_at;              // step -> rank whose gradient becomes NaN
    int64_t blend_version = shards::kExactBlend;  // of a new run
};

void train_rank(comm::World& world, TrainConfig config, const Layout& layout,
                const Stretch& stretch, Outcome& outcome) {
    kernels::set_num_threads(1);
    const MadeUpReader reader(61);
    config.parallel.dp_replicate = layout.replicas;
    config.parallel.dp_shard = layout.shards;
    const BuiltEngine built = build_engine(engine_options_of(config, 61), world.comm());
    Engine& engine = *built.engine;
    TrainState state;
    if (stretch.load.empty()) {
        init_weights(engine, 11, adamw_of(config));
        state = new_run(config, reader.identity());
        DataPhase phase = state.cursor.phase();
        phase.samples.blend_version = stretch.blend_version;
        state.cursor = DataCursor(phase, state.cursor.skip());
    } else {
        state = resume(engine, ckpt::Checkpoint::open(stretch.load), config, reader.identity());
    }
    PhaseTimer timer;
    const bool is_first = world.comm().rank() == 0;
    int64_t tries = 0;
    while (state.step < stretch.until) {
        StepPlan plan{state.step, state.cursor.peek(config.data.global_batch),
                      optim::learning_rate(schedule_of(config), state.step), 1.0, adamw_of(config)};
        const auto broken = stretch.break_at.find(tries++);
        const StepResult result = run_step(engine, plan, reader, timer, [&](Engine& hooked) {
            if (broken == stretch.break_at.end() || broken->second != world.comm().rank()) return;
            auto* bytes = hooked.store().gradient(3).data;
            std::memset(bytes, 0xFF, 8);  // a NaN in every type
        });
        state.cursor.advance(plan.samples);
        if (result.skipped) {
            outcome.skipped += is_first ? 1 : 0;
            if (is_first) CHECK(!result.bad_gradients.empty());
            continue;
        }
        ++state.step;
        if (!is_first) continue;
        outcome.losses.push_back(result.loss);
        outcome.norms.push_back(result.grad_norm);
        outcome.samples.insert(outcome.samples.end(), plan.samples.begin(), plan.samples.end());
    }
    if (!stretch.save.empty()) save(engine, state, stretch.save, {&config, &reader.identity()});
    if (!is_first) return;
    outcome.state = state;
    for (int i = 0; i < static_cast<int>(engine.model().params().size()); ++i) {
        const tensor::Buffer weight = engine.store().weight(i);
        const auto* bytes = static_cast<const std::byte*>(weight.data);
        outcome.weights.insert(outcome.weights.end(), bytes, bytes + weight.size_bytes());
    }
}

Outcome train(const TrainConfig& config, const Layout& layout, const Stretch& stretch = {}) {
    Outcome outcome;
    comm::run_threads(layout.replicas * layout.shards, [&](comm::World& world) {
        world.set_timeout(60);
        train_rank(world, config, layout, stretch, outcome);
    });
    return outcome;
}

struct TempDir {
    std::filesystem::path path;
    TempDir() {
        std::string name = (std::filesystem::temp_directory_path() / "longhaul-XXXXXX").string();
        path = mkdtemp(name.data());
    }
    ~TempDir() { std::filesystem::remove_all(path); }
};

double largest_difference(const Outcome& a, const Outcome& b) {
    const auto* x = reinterpret_cast<const double*>(a.weights.data());
    const auto* y = reinterpret_cast<const double*>(b.weights.data());
    double difference = 0, scale = 0;
    for (size_t i = 0; i < a.weights.size() / sizeof(double); ++i) {
        difference = std::max(difference, std::abs(x[i] - y[i]));
        scale = std::max(scale, std::abs(y[i]));
    }
    return difference / scale;
}

TEST_CASE("train: in f64 every data-parallel layout equals one rank to 1e-9") {
    const Outcome one = train(tiny_config("f64", 0), {1, 1});
    CHECK(one.losses.front() == doctest::Approx(std::log(61.0)).epsilon(0.05));
    CHECK(one.losses.back() < 0.95 * one.losses.front());
    for (const auto& layout : {Layout{1, 2}, Layout{1, 3}, Layout{4, 1}, Layout{2, 2}}) {
        for (const int64_t zero : {0, 1}) {
            const Outcome many = train(tiny_config("f64", zero), layout);
            CHECK(many.samples == one.samples);
            CHECK(largest_difference(many, one) < 1e-9);
            for (size_t i = 0; i < one.losses.size(); ++i) {
                CHECK(std::abs(many.losses[i] - one.losses[i]) < 1e-9 * one.losses[i]);
                CHECK(std::abs(many.norms[i] - one.norms[i]) < 1e-9 * one.norms[i]);
            }
        }
    }
}

TEST_CASE("train: ZeRO-1 gives the losses and weights of ZeRO-0 bit for bit") {
    for (const char* compute : {"f32", "bf16"}) {
        const Outcome whole = train(tiny_config(compute, 0), {1, 3});
        const Outcome sharded = train(tiny_config(compute, 1), {1, 3});
        CHECK(whole.losses[0] == sharded.losses[0]);
        // The norm is summed in another order, so only the last bits may differ later on.
        CHECK(whole.losses.back() == doctest::Approx(sharded.losses.back()).epsilon(1e-5));
    }
}

TEST_CASE("train: twice the same is the same, bit for bit") {
    const Outcome first = train(tiny_config("f32", 1), {1, 3});
    const Outcome second = train(tiny_config("f32", 1), {1, 3});
    CHECK(first.losses == second.losses);
    CHECK(first.weights == second.weights);
}

TEST_CASE("train: 20 steps equal 10, a resume, and 10 more, bit for bit") {
    for (const char* compute : {"f32", "f64", "bf16"}) {
        for (const auto& [layout, zero] :
             {std::pair{Layout{1, 1}, 1}, {Layout{1, 3}, 1}, {Layout{2, 1}, 0}}) {
            TrainConfig config = tiny_config(compute, zero);
            if (config.precision.compute == "bf16") config.precision.rounding = "stochastic";
            const TempDir dir;
            const Outcome whole = train(config, layout);
            const Outcome head = train(config, layout, {{}, dir.path / "step-00000010", 10, {}});
            const Outcome tail = train(config, layout, {dir.path / "step-00000010", {}, 20, {}});
            std::vector<double> losses = head.losses;
            losses.insert(losses.end(), tail.losses.begin(), tail.losses.end());
            CHECK(losses == whole.losses);
            CHECK(tail.weights == whole.weights);
            CHECK(tail.state.parent.directory == "step-00000010");
        }
    }
}

TEST_CASE("train: a resume at another number of ranks shows the same samples, equal to 1e-9") {
    const TempDir dir;
    const auto checkpoint = dir.path / "step-00000010";
    const Outcome whole = train(tiny_config("f64", 1), {1, 4});
    train(tiny_config("f64", 1), {1, 4}, {{}, checkpoint, 10, {}});
    for (const auto& layout : {Layout{1, 1}, Layout{1, 3}, Layout{2, 2}}) {
        const Outcome tail = train(tiny_config("f64", 1), layout, {checkpoint, {}, 20, {}});
        CHECK(std::equal(tail.samples.begin(), tail.samples.end(),
                         whole.samples.end() - static_cast<int64_t>(tail.samples.size())));
        CHECK(largest_difference(tail, whole) < 1e-9);
    }
}

TEST_CASE("train: a NaN on one rank makes all ranks skip; nothing advances but the data") {
    const TempDir dir;
    TrainConfig config = tiny_config("f32", 1);
    // Step 4 is broken on rank 1 once; the run then does what one does whose samples of that step
    // are left out.
    const Outcome broken = train(config, {1, 3}, {{}, {}, 8, {{4, 1}}});
    CHECK(broken.skipped == 1);
    config.data.skip = {"28-34"};
    const Outcome clean = train(config, {1, 3}, {{}, {}, 8, {}});
    CHECK(broken.losses == clean.losses);
    CHECK(broken.weights == clean.weights);
}

TEST_CASE("train: what may not change on a resume is refused by name") {
    const TempDir dir;
    const auto checkpoint = dir.path / "step-00000002";
    train(tiny_config("f32", 1), {1, 1}, {{}, checkpoint, 2, {}});
    const auto refusal = [&](auto change) -> std::string {
        TrainConfig config = tiny_config("f32", 1);
        change(config);
        try {
            train(config, {1, 1}, {checkpoint, {}, 3, {}});
        } catch (const Error& error) {
            CHECK(error.exit_code() == ExitCode::kUsage);
            return error.describe();
        }
        return "";
    };
    CHECK(refusal([](TrainConfig&) {}).empty());
    CHECK(refusal([](TrainConfig& c) { c.schedule.lr = 1e-4; }).empty());
    CHECK(refusal([](TrainConfig& c) { c.job.seed = 12; }).find("job.seed") != std::string::npos);
    CHECK(refusal([](TrainConfig& c) { c.model.shape.num_layers = 3; }).find("another model") !=
          std::string::npos);
    CHECK(refusal([](TrainConfig& c) { c.data.samples.order = "block"; })
              .find("data.order = block, but it was feistel; to change data on purpose, set "
                    "data.phase = 1") != std::string::npos);
    CHECK(refusal([](TrainConfig& c) { c.data.global_batch = 8; }).find("data.phase = 1") !=
          std::string::npos);
    CHECK(refusal([](TrainConfig& c) {
              c.data.global_batch = 8;
              c.data.phase = 1;
          }).empty());
}

TEST_CASE("train: a phase that began with the old order of sets keeps it, the next one does not") {
    const TempDir dir;
    const auto checkpoint = dir.path / "step-00000002";
    TrainConfig config = tiny_config("f32", 1);
    train(config, {1, 1}, {{}, checkpoint, 2, {}, shards::kOldBlend});
    const Outcome same = train(config, {1, 1}, {checkpoint, {}, 3, {}});
    CHECK(same.state.cursor.phase().samples.blend_version == shards::kOldBlend);
    config.data.phase = 1;
    const Outcome next = train(config, {1, 1}, {checkpoint, {}, 3, {}});
    CHECK(next.state.cursor.phase().samples.blend_version == shards::kExactBlend);
}

TEST_CASE("train: changes of a resumed run are recorded with their step") {
    const TempDir dir;
    TrainConfig config = tiny_config("f32", 1);
    train(config, {1, 1}, {{}, dir.path / "step-00000002", 2, {}});
    config.schedule.lr = 5e-3;
    const Outcome tail = train(config, {1, 1}, {dir.path / "step-00000002", {}, 3, {}});
    CHECK(tail.state.changes_json ==
          R"([{"step":2,"key":"schedule.lr","from":"0.01","to":"0.005"}])");
}

TEST_CASE("train: a rank that cannot read its samples ends all ranks with the cause") {
    std::vector<std::string> causes(3);
    comm::run_threads(3, [&](comm::World& world) {
        MadeUpReader reader(61);
        reader.fails_at = 3;  // belongs to rank 1
        TrainConfig config = tiny_config("f32", 1);
        config.parallel.dp_shard = 3;
        const BuiltEngine built = build_engine(engine_options_of(config, 61), world.comm());
        StepPlan plan;
        plan.samples = {0, 1, 2, 3, 4, 5, 6};
        PhaseTimer timer;
        try {
            run_step(*built.engine, plan, reader, timer);
        } catch (const TrainError& error) {
            causes[static_cast<size_t>(world.comm().rank())] =
                error.cause() + " " + error.describe();
        }
    });
    for (const std::string& cause : causes) CHECK(cause == "data rank 1: shard-0001.h5: torn");
}

TEST_CASE("train: the plan of a dry run is what the real run reserves, on every rank") {
    for (const char* compute : {"f32", "bf16"}) {
        TrainConfig config = tiny_config(compute, 1);
        config.parallel.dp_shard = 3;
        const EngineOptions options = engine_options_of(config, 61);
        comm::run_threads(3, [&](comm::World& world) {
            const BuiltEngine built = build_engine(options, world.comm());
            if (built.arena->used() != plan_memory(options, 3, world.comm().rank())) {
                throw Error("plan and run differ");
            }
        });
    }
}

}  // namespace
}  // namespace longhaul::train
