// SPDX-License-Identifier: BSD-3-Clause
#include "lib/train/step.h"

#include <algorithm>
#include <cmath>
#include <exception>

#include "lib/base/check.h"
#include "lib/optim/grad_norm.h"
#include "lib/train/exit_cause.h"
#include "lib/train/notice.h"

namespace longhaul::train {

namespace {

using parallel::Bucket;

/// Reads a sample into place `index` of the rank's batch. @return targets that count.
int64_t load_sample(Engine& engine, const shards::SampleProvider& reader, uint64_t sample,
                    int64_t index) {
    const int64_t seq_len = engine.options().transformer.seq_len;
    const auto part = [&](const tensor::Buffer& buffer) {
        return buffer.part(index * seq_len, seq_len).as<int32_t>();
    };
    shards::SampleBuffers out{part(engine.tokens()), part(engine.targets()), {}};
    if (engine.options().attends_document) out.document_begins = part(engine.document_begins());
    reader.read(sample, out);
    return std::count_if(out.targets.begin(), out.targets.end(), [](int32_t t) { return t >= 0; });
}

/// Loads the rank's samples. @return valid tokens of the global batch.
double load_batch(Engine& engine, const StepPlan& plan, const shards::SampleProvider& reader) {
    const tensor::Range mine = engine.local_samples();
    double counts[2] = {0, 0};  // valid tokens, ranks that failed
    std::exception_ptr error;
    try {
        for (int64_t i = 0; i < mine.count; ++i) {
            const uint64_t sample = plan.samples[static_cast<size_t>(mine.first + i)];
            counts[0] += static_cast<double>(load_sample(engine, reader, sample, i));
        }
    } catch (const std::exception&) {
        error = std::current_exception();
        counts[1] = 1;
    }
    engine.world().all_reduce(counts, comm::Op::kSum, {plan.step, -1, "valid tokens"});
    if (counts[1] > 0) {
        run_agreed(engine.world(), [&] {
            if (error != nullptr) std::rethrow_exception(error);
        });
    }
    return counts[0];
}

model::Batch micro_batch(Engine& engine, int64_t first, int64_t count) {
    const int64_t seq_len = engine.options().transformer.seq_len;
    model::Batch batch;
    batch.tokens = engine.tokens().part(first * seq_len, count * seq_len).as<int32_t>().data();
    batch.targets = engine.targets().part(first * seq_len, count * seq_len).as<int32_t>().data();
    if (engine.options().attends_document) {
        const auto begins = engine.document_begins().part(first * seq_len, count * seq_len);
        batch.document_begins = begins.as<int32_t>().data();
    }
    batch.batch = count;
    batch.seq_len = seq_len;
    return batch;
}

/// Forward and backward over the rank's samples. @return its sum of token losses.
double accumulate(Engine& engine, double grad_scale, PhaseTimer& timer) {
    double loss_sum = 0;
    const int64_t samples = engine.local_samples().count;
    const int64_t most = engine.options().transformer.micro_batch;
    for (int64_t first = 0; first < samples; first += most) {
        const model::Batch batch = micro_batch(engine, first, std::min(most, samples - first));
        loss_sum += timer.time(Phase::kForward, [&] {
            return engine.model().forward_train(batch, grad_scale).loss_sum;
        });
        timer.time(Phase::kBackward, [&] { engine.model().backward(); });
    }
    return loss_sum;
}

void reduce_gradients(Engine& engine, int64_t step) {
    for (Bucket& bucket : engine.store().buckets()) bucket.start_reduce(step);
    for (Bucket& bucket : engine.store().buckets()) bucket.finish_reduce(step);
}

void update_weights(Engine& engine, const StepPlan& plan, double grad_scale, PhaseTimer& timer) {
    timer.time(Phase::kUpdate, [&] {
        for (Bucket& bucket : engine.store().buckets()) {
            optim::adamw_update(bucket, engine.store().context(), plan.optimizer,
                                plan.learning_rate, grad_scale, plan.step + 1, engine.stream());
        }
    });
    timer.time(Phase::kGather, [&] {
        for (Bucket& bucket : engine.store().buckets()) bucket.start_gather(plan.step);
        for (Bucket& bucket : engine.store().buckets()) bucket.finish_gather();
    });
}

/// "rank 1: h.0.attn.weight, h.1...; ..." on rank 0. Collective.
std::string describe_bad_gradients(Engine& engine, int64_t step) {
    constexpr size_t kMostNames = 3;
    const auto names = optim::non_finite_gradients(engine.store(), engine.stream());
    std::string mine;
    for (size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
        mine += (i > 0 ? ", " : "") + names[i];
    }
    if (names.size() > kMostNames) mine += format(" and {} more", names.size() - kMostNames);
    const auto all = engine.world().gather_bytes(mine, 0, {step, -1, "bad gradients"});
    std::string text;
    for (size_t rank = 0; rank < all.size(); ++rank) {
        if (all[rank].empty()) continue;
        text += (text.empty() ? "" : "; ");
        text += all.size() > 1 ? format("rank {}: {}", rank, all[rank]) : all[rank];
    }
    return text;
}

}  // namespace

StepResult run_step(Engine& engine, const StepPlan& plan, const shards::SampleProvider& reader,
                    PhaseTimer& timer, const GradientHook& hook) {
    LH_CHECK(static_cast<int64_t>(plan.samples.size()) == engine.options().global_batch,
             "{} samples for a batch of {}", plan.samples.size(), engine.options().global_batch);
    const double before_data = timer.seconds(Phase::kData);
    const double valid = timer.time(Phase::kData, [&] { return load_batch(engine, plan, reader); });
    for (Bucket& bucket : engine.store().buckets()) bucket.zero_gradients();
    // Sum of losses over the global count of valid tokens: never a mean of means.
    double sums[4] = {0, 0, 0, plan.stop_file ? 1.0 : 0.0};  // loss, squares, notice, stop file
    sums[0] = accumulate(engine, valid > 0 ? 1 / valid : 0, timer);
    if (hook) hook(engine);
    timer.time(Phase::kReduce, [&] { reduce_gradients(engine, plan.step); });
    timer.time(Phase::kNorm, [&] {
        sums[1] = optim::local_sum_squares(engine.store(), engine.stream());
        sums[2] = NoticeSignals::received() != 0 ? 1 : 0;
        engine.world().all_reduce(sums, comm::Op::kSum, {plan.step, -1, "loss, norm, notice"});
    });
    StepResult result;
    result.valid_tokens = static_cast<int64_t>(valid);
    result.data_wait_s = timer.seconds(Phase::kData) - before_data;
    result.loss = valid > 0 ? sums[0] / valid : 0;
    result.grad_norm = std::sqrt(sums[1]);
    result.notice = sums[2] > 0;
    result.stop_file = sums[3] > 0;
    // All ranks see the same sums, so all skip or none does.
    result.skipped = !std::isfinite(result.grad_norm) || !std::isfinite(result.loss);
    if (result.skipped) {
        result.bad_gradients = describe_bad_gradients(engine, plan.step);
    } else {
        update_weights(engine, plan, optim::clip_scale(result.grad_norm, plan.clip), timer);
    }
    return result;
}

double validation_loss(Engine& engine, const shards::SampleProvider& reader, int64_t count) {
    const mesh::AxisSet data = {mesh::Axis::kDpReplicate, mesh::Axis::kDpShard};
    const tensor::Range mine = tensor::split_evenly(
        count, engine.mesh().size(data), engine.mesh().index_in_group(data, engine.world().rank()));
    // The batch buffers hold at least one sample on every rank that trains.
    const int64_t most =
        std::min(engine.options().transformer.micro_batch, engine.local_samples().count);
    double sums[3] = {0, 0, 0};
    std::exception_ptr error;
    try {
        LH_CHECK(mine.count == 0 || most > 0, "no room for a validation sample");
        for (int64_t done = 0; done < mine.count; done += most) {
            const int64_t num = std::min(most, mine.count - done);
            for (int64_t i = 0; i < num; ++i) {
                load_sample(engine, reader, static_cast<uint64_t>(mine.first + done + i), i);
            }
            const model::LossSums loss = engine.model().forward(micro_batch(engine, 0, num));
            sums[0] += loss.loss_sum;
            sums[1] += static_cast<double>(loss.valid_tokens);
        }
    } catch (const std::exception&) {
        error = std::current_exception();
        sums[2] = 1;
    }
    engine.world().all_reduce(sums, comm::Op::kSum, {-1, -1, "validation"});
    if (sums[2] > 0) {
        run_agreed(engine.world(), [&] {
            if (error != nullptr) std::rethrow_exception(error);
        });
    }
    return sums[1] > 0 ? sums[0] / sums[1] : 0;
}

}  // namespace longhaul::train
