// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Conversion between f32, f64 and bf16 (round to nearest even; f64 by way of f32), of a run or of
// rows with strides; with equal types a copy. Natural alignment; element-wise, hence deterministic.

#include <cstdint>

#include "kernels/stream.h"
#include "lib/tensor/dtype.h"

namespace longhaul::kernels {

struct CastArgs {
    tensor::DType from_dtype = tensor::DType::kF32;
    tensor::DType to_dtype = tensor::DType::kBF16;
    int64_t count = 0;           // elements of a row
    const void* from = nullptr;  // (rows, count)
    void* to = nullptr;          // (rows, count), overlaps `from` only when both are equal
    int64_t rows = 1;
    int64_t from_stride = 0, to_stride = 0;  // elements from row to row
};

namespace cpu {
void cast(Stream& stream, const CastArgs& args);
}

namespace cuda {
void cast(Stream& stream, const CastArgs& args);
}  // namespace cuda

}  // namespace longhaul::kernels
