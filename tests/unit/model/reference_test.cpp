// SPDX-License-Identifier: BSD-3-Clause
// Against PyTorch and transformers in f64 (tests/data/model/make_reference.py): logits, losses, all
// gradients, and ten AdamW steps.

#include <doctest/doctest.h>

#include "kernels/adamw.h"
#include "tests/unit/model/reference_file.h"
#include "tests/unit/model/test_model.h"

namespace longhaul::model {
namespace {

using tensor::DType;
using test::ReferenceFile;
using test::TestModel;
using test::TypedValues;

const std::string kReferences[] = {"gpt2", "llama", "qwen2", "qk_norm"};

/// A model with the reference's start weights, its optimizer state, and its batches.
class Run {
 public:
    Run(const ReferenceFile& file, DType compute, Recompute recompute = Recompute::kNone,
        bool fixed_order = false)
        : file_(file),
          model_(file.config(),
                 {file.batch(), file.seq_len(), compute, recompute, true, fixed_order, 5}),
          state_(accumulator_dtype(compute)) {
        for (size_t i = 0; i < model_.num_params(); ++i) {
            const std::vector<double> start = values("weight.", i);
            model_.set_weight(i, start);
            masters_.emplace_back(state_, start);
            m_.emplace_back(state_, static_cast<int64_t>(start.size()));
            v_.emplace_back(state_, static_cast<int64_t>(start.size()));
        }
    }

    TestModel& model() { return model_; }
    const TypedValues& master(size_t i) const { return masters_[i]; }
    std::vector<double> values(const std::string& prefix, size_t i) const {
        return model_.gather(i, [&](const std::string& name) { return file_.at(prefix + name); });
    }

    /// Mean loss of a step; gradients are those of the mean.
    double step_gradients(int64_t step) {
        const std::vector<int32_t> tokens = file_.ids("tokens", step);
        const std::vector<int32_t> targets = file_.ids("targets", step);
        const auto valid = static_cast<double>(
            std::count_if(targets.begin(), targets.end(), [](int32_t id) { return id >= 0; }));
        model_.zero_gradients();
        const LossSums sums = model_->forward_train(
            {tokens.data(), targets.data(), file_.batch(), file_.seq_len()}, 1 / valid);
        model_->backward();
        REQUIRE(static_cast<double>(sums.valid_tokens) == valid);
        return sums.loss_sum / valid;
    }

    void update(int64_t step) {
        kernels::Stream stream = kernels::Stream::cpu();
        for (size_t i = 0; i < model_.num_params(); ++i) {
            kernels::AdamWArgs args;
            args.state_dtype = args.grad_dtype = state_;
            args.count = static_cast<int64_t>(masters_[i].count());
            args.grad = model_.gradient(i).data();
            args.master = masters_[i].data();
            args.m = m_[i].data();
            args.v = v_[i].data();
            args.learning_rate = file_.optimizer().lr;
            args.beta1 = file_.optimizer().beta1;
            args.beta2 = file_.optimizer().beta2;
            args.epsilon = file_.optimizer().eps;
            args.weight_decay = model_.spec(i).decay ? file_.optimizer().weight_decay : 0;
            args.step = static_cast<uint32_t>(step + 1);
            kernels::cpu::adamw(stream, args);
            model_.set_weight(i, masters_[i].values());
        }
    }

 private:
    const ReferenceFile& file_;
    TestModel model_;
    DType state_;
    std::vector<TypedValues> masters_, m_, v_;
};

TEST_CASE("reference: logits and all gradients equal PyTorch's in f64") {
    for (const std::string& name : kReferences) {
        CAPTURE(name);
        const ReferenceFile file(name);
        Run run(file, DType::kF64);
        const std::vector<int32_t> tokens = file.ids("tokens", 0);
        std::vector<double> logits(file.at("logits").size());
        run.model()->logits({tokens.data(), nullptr, file.batch(), file.seq_len()}, logits);
        CHECK(test::relative_error(logits, file.at("logits")) <= 1e-13);
        CHECK(run.step_gradients(0) == doctest::Approx(file.at("losses")[0]).epsilon(1e-14));
        for (size_t i = 0; i < run.model().num_params(); ++i) {
            CAPTURE(run.model().spec(i).name);
            const std::vector<double> expected = run.values("grad.", i);
            CHECK(test::relative_error(run.model().gradient(i).values(), expected) <= 1e-12);
        }
    }
}

TEST_CASE("reference: ten AdamW steps follow PyTorch's losses and weights in f64") {
    for (const std::string& name : kReferences) {
        CAPTURE(name);
        const ReferenceFile file(name);
        Run run(file, DType::kF64);
        for (int64_t step = 0; step < file.num_steps(); ++step) {
            CAPTURE(step);
            const double loss = run.step_gradients(step);
            CHECK(loss ==
                  doctest::Approx(file.at("losses")[static_cast<size_t>(step)]).epsilon(1e-11));
            run.update(step);
        }
        for (size_t i = 0; i < run.model().num_params(); ++i) {
            CAPTURE(run.model().spec(i).name);
            // The file holds the final weights in f32.
            CHECK(test::relative_error(run.master(i).values(), run.values("final.", i)) <= 0x1p-24);
        }
    }
}

TEST_CASE("reference: ten steps in f32 stay within 1e-5 of PyTorch's f64 losses") {
    for (const bool fixed_order : {false, true}) {
        for (const std::string& name : kReferences) {
            CAPTURE(name);
            const ReferenceFile file(name);
            Run run(file, DType::kF32, Recompute::kNone, fixed_order);
            for (int64_t step = 0; step < file.num_steps(); ++step) {
                const double loss = run.step_gradients(step);
                CHECK(loss ==
                      doctest::Approx(file.at("losses")[static_cast<size_t>(step)]).epsilon(1e-5));
                run.update(step);
            }
        }
    }
}

TEST_CASE("reference: bf16 gradients are as near to f64 as eight bits allow") {
    for (const std::string& name : kReferences) {
        CAPTURE(name);
        const ReferenceFile file(name);
        Run run(file, DType::kBF16);
        Run exact(file, DType::kF64);
        for (size_t i = 0; i < run.model().num_params(); ++i) {
            exact.model().set_weight(i, run.model().weight(i).values());  // the rounded weights
        }
        const double loss = run.step_gradients(0);
        CHECK(loss == doctest::Approx(exact.step_gradients(0)).epsilon(0x1p-8));
        for (size_t i = 0; i < run.model().num_params(); ++i) {
            CAPTURE(run.model().spec(i).name);
            // About 30 roundings of 2^-8 lie on the longest path; they add like a random walk (four
            // sigmas).
            const double bound = 4 * 0x1p-8 * std::sqrt(30.0);
            CHECK(test::relative_error(run.model().gradient(i).values(),
                                       exact.model().gradient(i).values()) <= bound);
        }
    }
}

}  // namespace
}  // namespace longhaul::model
