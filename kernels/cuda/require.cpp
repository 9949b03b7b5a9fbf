// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/cuda/require.h"

#include "lib/base/error.h"

namespace longhaul::kernels::cuda {

void require(bool condition, const char* op, const char* what) {
    if (!condition) throw GpuError(format("{}: {}", op, what));
}

void require_buffer(const void* pointer, size_t alignment, const char* op, const char* name) {
    if (pointer == nullptr) throw GpuError(format("{}: {} is null", op, name));
    require_optional_buffer(pointer, alignment, op, name);
}

void require_optional_buffer(const void* pointer, size_t alignment, const char* op,
                             const char* name) {
    if (reinterpret_cast<uintptr_t>(pointer) % alignment != 0) {
        throw GpuError(
            format("{}: {} = {} is not aligned to {} bytes", op, name, pointer, alignment));
    }
}

void unsupported_dtype(tensor::DType dtype, const char* op) {
    throw GpuError(format("{}: no CUDA kernel for {}", op, tensor::name_of(dtype)));
}

}  // namespace longhaul::kernels::cuda
