// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Steers the double of the CUDA runtime (cudart.cpp): host memory, streams that defer as long as
// CUDA allows, kernels on the host scheduler. Linked in place of cudart_static.

#include <string>

namespace longhaul::cudart_double {

/// What cudaGetDeviceCount answers from now on. `error` is a cudaError_t; 0 = success.
void set_devices(int count, int error = 0);
/// The next call of `function` returns `error` and does nothing.
void fail_next(const std::string& function, int error);
/// Allocations of device and page-locked memory that were not freed.
int num_live_allocations();

}  // namespace longhaul::cudart_double
