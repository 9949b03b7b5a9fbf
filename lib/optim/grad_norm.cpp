// SPDX-License-Identifier: BSD-3-Clause
#include "lib/optim/grad_norm.h"

#include <cmath>

#include "lib/ops/ops.h"
#include "lib/parallel/param_layout.h"

namespace longhaul::optim {

namespace {

using mesh::Axis;
using parallel::Bucket;
using parallel::FlatPiece;

/// The part of the owned range whose squares this rank adds: ranks that own the same range share
/// it.
tensor::Range norm_range(const Bucket& bucket, const parallel::BucketContext& context) {
    mesh::AxisSet sharing = {Axis::kDpReplicate};
    if (!context.policy.shard_optimizer) sharing.insert(Axis::kDpShard);
    const tensor::Range part =
        tensor::split_evenly(bucket.owned().count, context.mesh->size(sharing),
                             context.mesh->index_in_group(sharing, context.rank));
    return {bucket.owned().first + part.first, part.count};
}

double sum_squares(const tensor::Buffer& data, kernels::Stream& stream) {
    double sum = 0;
    kernels::SumSquaresArgs args;
    args.dtype = data.dtype;
    args.count = data.count;
    args.x = data.data;
    args.out = &sum;
    ops::sum_squares(stream, args);
    return sum;
}

}  // namespace

double local_sum_squares(parallel::ParamStore& store, kernels::Stream& stream) {
    const parallel::BucketContext& context = store.context();
    const mesh::AxisSet split = {Axis::kDpReplicate, Axis::kDpShard};
    double sum = 0;
    for (const Bucket& bucket : store.buckets()) {
        const tensor::Buffer gradient = bucket.owned_gradient();
        for (const FlatPiece& piece : bucket.layout().pieces(norm_range(bucket, context))) {
            const auto& spec = context.specs[static_cast<size_t>(piece.param)];
            if (parallel::norm_weight(spec, *context.mesh, context.rank, split) == 0) continue;
            sum += sum_squares(
                gradient.part(piece.bucket_first - bucket.owned().first, piece.count), stream);
        }
    }
    return sum;
}

std::vector<std::string> non_finite_gradients(parallel::ParamStore& store,
                                              kernels::Stream& stream) {
    std::vector<std::string> names;
    for (const Bucket& bucket : store.buckets()) {
        const tensor::Buffer gradient = bucket.owned_gradient();
        for (const FlatPiece& piece : bucket.layout().pieces(bucket.owned())) {
            const tensor::Buffer part =
                gradient.part(piece.bucket_first - bucket.owned().first, piece.count);
            if (std::isfinite(sum_squares(part, stream))) continue;
            names.push_back(store.specs()[static_cast<size_t>(piece.param)].name);
        }
    }
    return names;
}

double clip_scale(double norm, double limit) {
    // The small term keeps the quotient below 1 when both are equal, as PyTorch does.
    return limit > 0 && norm > limit ? limit / (norm + 1e-6) : 1.0;
}

}  // namespace longhaul::optim
