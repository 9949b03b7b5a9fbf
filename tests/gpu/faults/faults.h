// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Deliberately wrong kernels, by name.

#include <string>

#include "kernels/stream.h"

namespace longhaul::kernels::cuda::faults {

/// Runs the wrong kernel `name` with `out` of 64 elements. @return false: no kernel of that name.
bool run(const std::string& name, Stream& stream, float* out);

}  // namespace longhaul::kernels::cuda::faults
