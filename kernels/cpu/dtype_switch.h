// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// From the run-time dtype of an args struct to a template parameter.

#include "lib/base/check.h"
#include "lib/tensor/dtype.h"

namespace longhaul::kernels::cpu {

template <class T>
struct TypeTag {
    using Type = T;
};

/// Calls body(TypeTag<T>()) with T = float, double or tensor::BFloat16.
template <class Body>
void with_type(tensor::DType dtype, const char* op, const Body& body) {
    switch (dtype) {
        case tensor::DType::kF32:
            return body(TypeTag<float>());
        case tensor::DType::kF64:
            return body(TypeTag<double>());
        case tensor::DType::kBF16:
            return body(TypeTag<tensor::BFloat16>());
        default:
            LH_CHECK(false, "{} has no {} kernel", op, tensor::name_of(dtype));
    }
}

}  // namespace longhaul::kernels::cpu
