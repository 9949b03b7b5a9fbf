// SPDX-License-Identifier: BSD-3-Clause
// The whole engine - buckets, ranks, micro-batches, sums, AdamW - against ten steps of PyTorch in
// f64 (tests/data/model/make_reference.py).
#include <doctest/doctest.h>

#include <algorithm>

#include "kernels/threads.h"
#include "lib/comm/world.h"
#include "lib/train/run.h"
#include "lib/train/step.h"
#include "tests/unit/model/reference_file.h"

namespace longhaul::train {
namespace {

using parallel::Bucket;
using parallel::StateKind;
using parallel::StorageSlice;
using test::ReferenceFile;

/// Sample number = step * batch + row.
class ReferenceReader : public SampleReader {
 public:
    explicit ReferenceReader(const ReferenceFile& file) : file_(file) {}
    const DataIdentity& identity() const override { return identity_; }
    void read(uint64_t sample, const shards::SampleBuffers& out) const override {
        const auto [tokens, targets, begins] = out;
        const auto step = static_cast<int64_t>(sample) / file_.batch();
        const auto row = static_cast<int64_t>(sample) % file_.batch();
        const auto copy = [&](const char* name, std::span<int32_t> out) {
            const std::vector<int32_t> ids = file_.ids(name, step);
            std::copy_n(ids.begin() + row * file_.seq_len(), file_.seq_len(), out.begin());
        };
        copy("tokens", tokens);
        copy("targets", targets);
    }

 private:
    const ReferenceFile& file_;
    DataIdentity identity_;
};

void set_start_weights(Engine& engine, const ReferenceFile& file) {
    for (Bucket& bucket : engine.store().buckets()) {
        bucket.for_each_state([&](StateKind kind, const StorageSlice& slice, tensor::Buffer out) {
            if (kind != StateKind::kMaster) return;
            const std::vector<double>& values = file.at("weight." + slice.hf_name);
            const auto whole = tensor::Slice::whole(tensor::Box::whole(slice.shape));
            for (const auto& run : tensor::copy_runs(slice.slice, whole)) {
                std::copy_n(values.begin() + run.destination_index, run.count,
                            out.as<double>().begin() + run.source_index);
            }
        });
        bucket.start_gather(0);
        bucket.finish_gather();
    }
}

std::vector<double> losses_of(const ReferenceFile& file, int ranks, int64_t zero) {
    std::vector<double> losses;
    comm::run_threads(ranks, [&](comm::World& world) {
        kernels::set_num_threads(1);
        EngineOptions options;
        options.model = file.config();
        options.transformer.micro_batch = 1;
        options.transformer.seq_len = file.seq_len();
        options.transformer.compute = tensor::DType::kF64;
        options.mesh.dp_shard = ranks;
        options.policy = parallel::BucketPolicy::from_zero(zero);
        options.global_batch = file.batch();
        const BuiltEngine built = build_engine(options, world.comm());
        set_start_weights(*built.engine, file);
        const ReferenceReader reader(file);
        PhaseTimer timer;
        for (int64_t step = 0; step < file.num_steps(); ++step) {
            StepPlan plan;
            plan.step = step;
            for (int64_t row = 0; row < file.batch(); ++row) {
                plan.samples.push_back(static_cast<uint64_t>(step * file.batch() + row));
            }
            plan.learning_rate = file.optimizer().lr;
            plan.optimizer.beta1 = file.optimizer().beta1;
            plan.optimizer.beta2 = file.optimizer().beta2;
            plan.optimizer.epsilon = file.optimizer().eps;
            plan.optimizer.weight_decay = file.optimizer().weight_decay;
            const StepResult result = run_step(*built.engine, plan, reader, timer);
            if (world.comm().rank() == 0) losses.push_back(result.loss);
        }
    });
    return losses;
}

TEST_CASE("train: losses follow PyTorch step by step, on one rank and on two") {
    for (const char* name : {"gpt2", "llama", "qwen2", "qk_norm"}) {
        CAPTURE(name);
        const ReferenceFile file(name);
        for (const int ranks : {1, 2}) {
            for (const int64_t zero : {0, 1}) {
                const std::vector<double> losses = losses_of(file, ranks, zero);
                REQUIRE(losses.size() == 10);
                for (size_t step = 0; step < losses.size(); ++step) {
                    CAPTURE(step);
                    CHECK(losses[step] == doctest::Approx(file.at("losses")[step]).epsilon(1e-11));
                }
            }
        }
    }
}

}  // namespace
}  // namespace longhaul::train
