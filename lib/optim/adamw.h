// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// AdamW over the buckets of a model: each rank updates the elements that it owns.

#include <cstdint>

#include "kernels/adamw.h"
#include "kernels/stream.h"
#include "lib/parallel/bucket.h"

namespace longhaul::optim {

struct AdamWSettings {
    double beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8;
    double weight_decay = 0.1;  // only on specs with the decay flag
    kernels::Rounding rounding = kernels::Rounding::kNearestEven;  // of bf16 weights
    uint64_t seed = 0;                                             // of stochastic rounding
};

/// @throws UsageError naming the key of [optim] in run.toml.
void check(const AdamWSettings& settings);

/// One update of the owned elements of `bucket`. Element-wise, hence equal in every layout.
/// @param update number of this update, from 1. @param grad_scale clipping factor.
void adamw_update(parallel::Bucket& bucket, const parallel::BucketContext& context,
                  const AdamWSettings& settings, double learning_rate, double grad_scale,
                  int64_t update, kernels::Stream& stream);

/// Sets the bf16 weights of the owned range from the masters, with the rounding of update number
/// `update` (0: to nearest). Not needed, and does nothing, where weights are their own masters.
void round_weights(parallel::Bucket& bucket, const parallel::BucketContext& context,
                   const AdamWSettings& settings, int64_t update);

}  // namespace longhaul::optim
