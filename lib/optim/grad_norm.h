// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Global gradient norm: fp64 sum of squares over all ranks, each element once.

#include <string>
#include <vector>

#include "kernels/stream.h"
#include "lib/parallel/bucket.h"

namespace longhaul::optim {

/// This rank's share of the sum of squares, after the gradients were reduced. The shares of all
/// ranks add up to the whole: replicas split what they hold in common.
double local_sum_squares(parallel::ParamStore& store, kernels::Stream& stream);

/// Names of the weights whose gradients hold a NaN or infinity on this rank, for the report after
/// a bad norm.
std::vector<std::string> non_finite_gradients(parallel::ParamStore& store, kernels::Stream& stream);

/// What to multiply gradients with so that the norm is at most `limit` (0: no limit).
double clip_scale(double norm, double limit);

}  // namespace longhaul::optim
