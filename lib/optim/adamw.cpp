// SPDX-License-Identifier: BSD-3-Clause
#include "lib/optim/adamw.h"

#include <cmath>

#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/ops/ops.h"
#include "lib/parallel/param_layout.h"

namespace longhaul::optim {

namespace {

using parallel::Bucket;
using parallel::BucketContext;
using parallel::FlatPiece;
using parallel::ParamSpec;
using parallel::StateKind;
using parallel::StorageSlice;

/// Elements of the owned range that are consecutive in one checkpoint tensor, too.
struct Run {
    const ParamSpec* spec;
    const std::string* tensor;
    int64_t owned_first;   // in the owned range
    int64_t global_first;  // row-major index in the global tensor
    int64_t count;
};

/// Calls visit for each run. Stochastic rounding is keyed by global elements, so a box that is no
/// whole number of rows comes row by row.
template <class Visit>
void for_each_run(const Bucket& bucket, const BucketContext& context, Visit visit) {
    for (const FlatPiece& piece : bucket.layout().pieces(bucket.owned())) {
        const ParamSpec& spec = context.specs[static_cast<size_t>(piece.param)];
        for (const StorageSlice& slice : parallel::storage_slices(
                 spec, *context.mesh, context.rank, {piece.param_first, piece.count})) {
            const int64_t owned_first = piece.bucket_first - bucket.owned().first +
                                        (slice.storage_first - piece.param_first);
            const auto whole = tensor::Slice::whole(tensor::Box::whole(slice.shape));
            for (const tensor::CopyRun& run : tensor::copy_runs(slice.slice, whole)) {
                visit(Run{&spec, &slice.hf_name, owned_first + run.source_index,
                          run.destination_index, run.count});
            }
        }
    }
}

}  // namespace

void check(const AdamWSettings& settings) {
    const auto check_beta = [](const char* name, double beta) {
        if (!(beta >= 0) || beta >= 1) {
            throw UsageError(format("optim.{} = {} is not in [0, 1)", name, beta));
        }
    };
    check_beta("beta1", settings.beta1);
    check_beta("beta2", settings.beta2);
    if (!(settings.epsilon > 0)) {
        throw UsageError(format("optim.epsilon = {} is not positive", settings.epsilon));
    }
    if (!(settings.weight_decay >= 0)) {
        throw UsageError(format("optim.weight_decay = {} is negative", settings.weight_decay));
    }
}

void adamw_update(Bucket& bucket, const BucketContext& context, const AdamWSettings& settings,
                  double learning_rate, double grad_scale, int64_t update,
                  kernels::Stream& stream) {
    const tensor::Buffer gradient = bucket.owned_gradient();
    const tensor::Buffer master = bucket.state(StateKind::kMaster);
    const tensor::Buffer m = bucket.state(StateKind::kM), v = bucket.state(StateKind::kV);
    const tensor::Buffer weights = bucket.owned_weight();
    kernels::AdamWArgs args;
    args.state_dtype = context.precision.state;
    args.grad_dtype = gradient.dtype;
    args.learning_rate = learning_rate;
    args.beta1 = settings.beta1;
    args.beta2 = settings.beta2;
    args.epsilon = settings.epsilon;
    args.grad_scale = grad_scale;
    args.step = static_cast<uint32_t>(update);
    args.rounding = settings.rounding;
    args.seed = settings.seed;
    for_each_run(bucket, context, [&](const Run& run) {
        args.count = run.count;
        args.grad = gradient.part(run.owned_first, run.count).data;
        args.master = master.part(run.owned_first, run.count).data;
        args.m = m.part(run.owned_first, run.count).data;
        args.v = v.part(run.owned_first, run.count).data;
        if (context.precision.has_master()) {
            args.weights =
                static_cast<tensor::BFloat16*>(weights.part(run.owned_first, run.count).data);
        }
        args.weight_decay = run.spec->decay ? settings.weight_decay : 0;
        args.tensor_stream = xxh3_64(*run.tensor);
        args.first_element = run.global_first;
        ops::adamw(stream, args);
    });
}

void round_weights(Bucket& bucket, const BucketContext& context, const AdamWSettings& settings,
                   int64_t update) {
    if (!context.precision.has_master()) return;
    const auto master = bucket.state(StateKind::kMaster).as<float>();
    const auto weights = bucket.owned_weight().as<tensor::BFloat16>();
    const bool is_stochastic = settings.rounding == kernels::Rounding::kStochastic && update > 0;
    for_each_run(bucket, context, [&](const Run& run) {
        const uint64_t tensor_stream = xxh3_64(*run.tensor);
        for (int64_t i = 0; i < run.count; ++i) {
            const auto place = static_cast<size_t>(run.owned_first + i);
            if (!is_stochastic) {
                weights[place] = tensor::to_bf16(master[place]);
                continue;
            }
            const auto element = static_cast<uint64_t>(run.global_first + i);
            const PhiloxBlock block = kernels::rounding_block(
                settings.seed, tensor_stream, static_cast<uint32_t>(update), element / 8);
            weights[place] =
                tensor::to_bf16_stochastic(master[place], kernels::rounding_bits(block, element));
        }
    });
}

}  // namespace longhaul::optim
