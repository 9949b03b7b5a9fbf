// SPDX-License-Identifier: BSD-3-Clause
#include "lib/store/h5_type.h"

#include <array>

#include "lib/base/error.h"

namespace longhaul::store {
namespace {

using tensor::DType;

constexpr std::array kAllTypes{DType::kF32, DType::kF64, DType::kBF16, DType::kF16, DType::kI32,
                               DType::kI64, DType::kU8,  DType::kU16,  DType::kU32, DType::kU64};

/// A little-endian float of 16 bits: sign at 15, exponent above the mantissa.
H5Type small_float(size_t exponent_bits, size_t mantissa_bits, size_t bias) {
    H5Type type(LH_H5(H5Tcopy(H5T_IEEE_F32LE), "16-bit float type"));
    LH_H5(H5Tset_fields(type.get(), 15, mantissa_bits, exponent_bits, 0, mantissa_bits),
          "16-bit float type");
    LH_H5(H5Tset_size(type.get(), 2), "16-bit float type");
    LH_H5(H5Tset_ebias(type.get(), bias), "16-bit float type");
    return type;
}

H5Type copy_of(hid_t predefined) {
    return H5Type(LH_H5(H5Tcopy(predefined), "element type"));
}

}  // namespace

H5Type h5_type(DType dtype) {
    switch (dtype) {
        case DType::kBF16:
            return small_float(8, 7, 127);
        case DType::kF16:
            return small_float(5, 10, 15);
        case DType::kF32:
            return copy_of(H5T_IEEE_F32LE);
        case DType::kF64:
            return copy_of(H5T_IEEE_F64LE);
        case DType::kI32:
            return copy_of(H5T_STD_I32LE);
        case DType::kI64:
            return copy_of(H5T_STD_I64LE);
        case DType::kU8:
            return copy_of(H5T_STD_U8LE);
        case DType::kU16:
            return copy_of(H5T_STD_U16LE);
        case DType::kU32:
            return copy_of(H5T_STD_U32LE);
        case DType::kU64:
            return copy_of(H5T_STD_U64LE);
    }
    throw StoreError("element type without an HDF5 form");
}

std::optional<DType> dtype_of(hid_t type) {
    for (const DType dtype : kAllTypes) {
        if (H5Tequal(type, h5_type(dtype).get()) > 0) return dtype;
    }
    return std::nullopt;
}

}  // namespace longhaul::store
