// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How many OpenMP threads the CPU kernels use.

namespace longhaul::kernels {

/// For kernels called by the calling thread from now on (ranks that are threads of one process each
/// call it once). Results of matmul's kFastest order depend on it.
void set_num_threads(int num_threads);

}  // namespace longhaul::kernels
