// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Initial values of weights: a pure function of (seed, checkpoint name, global element), so that
// every layout starts from the same model.

#include <cstdint>
#include <span>

#include "lib/parallel/param_layout.h"

namespace longhaul::parallel {

/// The values of the elements of `slice` of the checkpoint tensor, in storage order.
/// @param out slice.slice.count values.
/// @source Box and Muller, "A note on the generation of random normal deviates", 1958.
void init_values(const Init& init, const StorageSlice& slice, uint64_t seed, std::span<double> out);

}  // namespace longhaul::parallel
