// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Argument checks of the launchers. Light on purpose: nvcc compiles this, so no fmt here.

#include <cstddef>
#include <cstdint>

#include "lib/tensor/dtype.h"

namespace longhaul::kernels::cuda {

/// @throws GpuError "OP: WHAT" when `condition` is false.
void require(bool condition, const char* op, const char* what);
/// @throws GpuError when `pointer` is null or not a multiple of `alignment`.
void require_buffer(const void* pointer, size_t alignment, const char* op, const char* name);
/// As require_buffer(), but null is allowed.
void require_optional_buffer(const void* pointer, size_t alignment, const char* op,
                             const char* name);
/// @throws GpuError "OP: no kernel for TYPE".
[[noreturn]] void unsupported_dtype(tensor::DType dtype, const char* op);

/// Buffers that kernels read in 16-byte vectors.
inline constexpr size_t kVectorBytes = 16;

}  // namespace longhaul::kernels::cuda
